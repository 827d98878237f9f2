// The next steps of a pending request. When nobody can decide, it is the request of the only admin, and the reason decides the way out.
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import type { Next } from '../result.ts';
import type { Session } from '../session/session.ts';

type Pending = Pick<Approval, 'id' | 'asset' | 'asset_version' | 'can_decide'>;

export async function nextForPending(session: Session, approval: Pending): Promise<Next[]> {
  const { id, asset, asset_version, can_decide } = approval;
  if (can_decide.length > 0)
    return [{ command: `svc review approve ${id}`, when: `run by one of: ${can_decide.join(', ')}` }];
  const another = { command: 'svc user update <e-mail> --role admin', when: 'to make another user an admin' };
  const { settings } = await session.call('org.show', {});
  if (settings.require_approval_for_admins)
    return [
      another,
      {
        command: 'svc org set require_approval_for_admins false',
        when: 'to let the only admin deploy without another one; see: svc org show',
      },
    ];
  return [...(await ownSecrets(session, { asset, version: asset_version })), another];
}

/**
 * A command for each secret of the team that the version names and the agent does not have itself. A secret of the agent needs no other
 * admin.
 */
async function ownSecrets(session: Session, { asset, version }: { asset: string; version: string }): Promise<Next[]> {
  const ref = parseRef(asset);
  if (ref?.kind !== 'agent') return [];
  const { name } = ref;
  const { config } = await session.call('registry.show_version', { params: { kind: 'agent', name, version } });
  const named = namesIn(config);
  if (named.length === 0) return [];
  const { items } = await session.call('secrets.list', { query: { agent: name, limit: 200 } });
  const own = new Set(items.filter((one) => one.agent !== null).map((one) => one.name));
  return named
    .filter((secret) => !own.has(secret))
    .map((secret) => ({
      command: `svc secret set ${secret} --agent ${name}`,
      when: 'a secret of the agent itself needs no approval of another admin; then deploy',
    }));
}

function namesIn(config: Record<string, unknown>): string[] {
  const deploy = config['deploy'];
  const secrets = typeof deploy === 'object' && deploy !== null && 'secrets' in deploy ? deploy.secrets : [];
  return Array.isArray(secrets) ? secrets.filter((one) => typeof one === 'string') : [];
}
