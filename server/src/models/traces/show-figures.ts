import { figure_steps, type AgentFigures } from '@gantry/contract/models/traces.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { clock } from '../ledger/accounts.ts';
import { agentCostByStep } from '../ledger/agent-cost.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { figure_days } from './figures.ts';
import { figuresByStep } from './figures-store.ts';
import { quantile } from './latency.ts';

const minute_ms = 60_000;
const day_ms = 86_400_000;

export async function showFigures(
  db: Database,
  caller: Caller,
  { name, since }: { name: string; since?: string | undefined },
): Promise<AgentFigures> {
  const user = signedIn(caller);
  const agent = await loadAsset(db, { kind: 'agent', name }, user);
  authorize(user, 'asset.read', agent);
  const now = Date.parse(await clock(db));
  const asked = since === undefined ? now - day_ms : Math.max(Date.parse(since), now - figure_days * day_ms);
  const step_ms = Math.max(1, Math.ceil((now - asked) / figure_steps / minute_ms)) * minute_ms;
  // The last part is under way.
  const last = Math.floor(now / step_ms) * step_ms;
  const count = Math.min(figure_steps, Math.max(1, Math.ceil((now - asked) / step_ms)));
  const start = new Date(last - (count - 1) * step_ms).toISOString();
  const step_seconds = step_ms / 1000;
  const [figures, costs] = await Promise.all([
    figuresByStep(db, { agent_id: agent.id, since: start, step_seconds }),
    agentCostByStep(db, user, agent, { since: start, step_seconds, count }),
  ]);
  return {
    since: start,
    step_seconds,
    steps: Array.from({ length: count }, (_, n) => {
      const { calls = 0, errors = 0, latency = [] } = figures.find(({ step }) => step === n) ?? {};
      const usd = costs?.[n] ?? null;
      return { calls, errors, p50_ms: quantile(latency, 0.5), p95_ms: quantile(latency, 0.95), usd };
    }),
  };
}
