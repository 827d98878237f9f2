import type { AgentEvent } from '@gantry/contract/agents/agent-events.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import * as store from './event-store.ts';
import type { DeployParts } from './parts.ts';

/** What the service did with the agent's containers by itself, newest first. */
export async function listEvents(
  { db, cursors }: Pick<DeployParts, 'db' | 'cursors'>,
  caller: Caller,
  { name, limit, cursor }: { name: string; limit: number; cursor?: string | undefined },
): Promise<Page<AgentEvent>> {
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  authorize(user, 'deployment.read', asset);
  const scope = ['agent_events', user.id, asset.id];
  const [before] = cursors.read(cursor, scope) ?? [];
  const rows = await store.events(db, {
    agent_id: asset.id,
    before: before === undefined ? undefined : Number(before),
    limit: limit + 1,
  });
  return cursors.page(
    rows,
    limit,
    scope,
    ({ id }) => [id],
    ({ revision_id: revision, n: instance, ...event }) => ({ ...event, revision, instance }),
  );
}
