import { defineCommand } from '../../command.ts';
import { warnAboutOldKeys } from '../../principals/describe-principal.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { prose, table, time, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'principal list',
  summary: "Your teams' service principals; all of them for platform admins",
  needs: 'principal.list',
  examples: ['svc principal list', 'svc principal list --team ml --json'],
  arguments: {},
  flags: { limit: limitFlag },
  async run({ limit }, session) {
    const { team: named } = session.globals;
    const team = named === undefined ? {} : { team: named };
    const principals = await takePages(session, limit, (query) =>
      session.call('principals.list', { query: { ...team, ...query } }),
    );
    warnAboutOldKeys(session.output, principals);
    return {
      data: principals,
      view: [
        table(
          ['principal', 'team', 'role', prose('reaches'), 'key', 'age', 'last used'],
          principals.map(({ name, team: of_team, role, allowed_assets, keys, key_age_days, key_is_old }) => {
            const age = key_age_days === null ? '-' : `${key_age_days} days`;
            return [
              name,
              of_team,
              role,
              allowed_assets.join(', ') || 'nothing',
              keys[0]?.prefix ?? 'none',
              key_is_old ? warn(age) : age,
              time(keys[0]?.last_used_at ?? null),
            ];
          }),
          'No service principals yet. Create one: svc principal create --name ci --team ml --role deployer --allowed-assets "agents/*"',
        ),
      ],
    };
  },
});
