// The secrets whose value has changed since the containers of an agent started: a container keeps the values of its start.
import type { AgentStatus, Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';

/** Their names, as far as the caller may see the secrets. Empty for an agent without containers. */
export async function oldSecrets(session: Session, { name, team, instances }: AgentStatus): Promise<string[]> {
  if (instances.length === 0) return [];
  const list = async (scope: { agent: string } | { team: string }) =>
    await session.call('secrets.list', { query: { ...scope, limit: 200 } }).then(
      ({ items }) => items,
      (error: unknown) => {
        if (error instanceof Problem && ['forbidden', 'not_found'].includes(error.code)) return [];
        throw error;
      },
    );
  const [own, shared] = await Promise.all([list({ agent: name }), list({ team })]);
  const used = [...own, ...shared].filter(({ used_by }) => used_by.includes(name));
  if (used.length === 0) return [];
  const { items } = await session.call('deployments.list', { query: { agent: name, limit: 20 } });
  const started = items.map(startOf).find((at) => at !== undefined);
  return used
    .filter(({ changed_at }) => started !== undefined && Date.parse(changed_at) > Date.parse(started))
    .map((secret) => secret.name);
}

/** When an operation began to start containers; undefined for one that starts none, or that has failed. */
function startOf({ state, steps }: Deployment): string | undefined {
  const step = steps.findLast(({ name }) => ['start', 'restart'].includes(name));
  return state === 'done' ? (step?.started_at ?? undefined) : undefined;
}
