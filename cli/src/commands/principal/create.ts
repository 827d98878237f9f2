import { roles } from '@gantry/contract/roles.ts';
import { choice, defineCommand, needed, text } from '../../command.ts';
import { allowedAssetsFlag, describeKey } from '../../principals/describe-principal.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { faint, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'principal create',
  summary: 'Create a service principal of a team; prints its key, once',
  needs: 'principal.change',
  examples: [
    'svc principal create --name ci --team ml --role deployer --allowed-assets "agents/*"',
    'svc principal create --name reader --team ml --allowed-assets "agents/*,tools/*" --description "Reads for the dashboard"',
  ],
  arguments: {},
  flags: {
    name: needed(text('Lower-case letters, digits and hyphens; unique in the organisation', 'name')),
    role: choice('Its role in the team, default viewer', roles),
    allowedAssets: allowedAssetsFlag,
    description: text('Its purpose', 'text'),
  },
  async run({ name, role, allowedAssets, description }, session) {
    const team = await teamToOwn(session);
    const principal = await session.call('principals.create', {
      body: {
        name,
        team,
        ...(role === undefined ? {} : { role }),
        ...(allowedAssets === undefined ? {} : { allowed_assets: allowedAssets }),
        ...(description === undefined ? {} : { description }),
      },
    });
    const reaches = principal.allowed_assets.join(', ') || 'nothing yet';
    return {
      data: principal,
      view: [
        line(
          good('✓ '),
          `principal:${principal.name} exists in team ${principal.team} as ${principal.role}; reaches ${reaches}`,
        ),
        ...describeKey(principal.key),
        line(faint('  You have seen its key, so another admin decides its requests for approval.')),
      ],
      undo: `svc principal delete ${principal.name}`,
    };
  },
});
