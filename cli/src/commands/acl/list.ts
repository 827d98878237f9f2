import { printGrantee } from '@gantry/contract/refs.ts';
import { readAsset, type Resource } from '../../registry/acl.ts';
import { defineCommand, text } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { readPrincipal } from '../../principals/principal.ts';
import { describeVisibility } from '../../registry/describe-asset.ts';
import type { Session } from '../../session/session.ts';
import { faint, line, prose, table, time, type View } from '../../view/view.ts';

export const command = defineCommand({
  words: 'acl list',
  summary: 'The access-control entries of the assets that you may read',
  needs: 'permission.list',
  examples: ['svc acl list --asset agents/greeter', 'svc acl list --principal team:ops --json'],
  arguments: {},
  flags: {
    asset: text('Only this asset', 'agents/<name>'),
    principal: text('Only for team:<name>, user:<e-mail>, group:<name>, principal:<name>, or org', 'who'),
    limit: limitFlag,
  },
  async run({ asset, principal, limit }, session) {
    const resource: Partial<Resource> = asset === undefined ? {} : readAsset(asset);
    const { principal_type, principal_id = null } = principal === undefined ? {} : readPrincipal(principal);
    const filters = {
      ...resource,
      ...(principal_type === undefined ? {} : { principal_type }),
      ...(principal_id === null ? {} : { principal_id }),
    };
    const entries = await takePages(session, limit, (query) =>
      session.call('permissions.list', { query: { ...filters, ...query } }),
    );
    const about = resource.resource_type === undefined ? [] : await visibilityOf(session, resource, entries.length);
    return {
      data: entries,
      view: [
        table(
          ['asset', 'who', prose('may'), 'since'],
          entries.map((entry) => [entry.asset, printGrantee(entry), entry.actions.join(', '), time(entry.created_at)]),
          'No entries that you may see.',
        ),
        ...about,
      ],
    };
  },
});

/** The visibility of the shown entries; nothing about an asset that shows none. */
async function visibilityOf(
  session: Session,
  { resource_type: kind, resource_id: name }: Partial<Resource>,
  shown: number,
): Promise<View> {
  if (kind === undefined || name === undefined || shown === 0) return [];
  const asset = await session.call('registry.show', { params: { kind, name } });
  const published = asset.published ? ', published' : '';
  return [line(faint(`visibility ${asset.visibility}${published}: ${describeVisibility(asset)}`))];
}
