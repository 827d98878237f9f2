import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { Link } from '@tanstack/react-router';
import { count, duration, money, plural } from '../../../parts/figures/figures.ts';
import { When } from '../../../parts/figures/when.tsx';

/** One line: who began it and when, how long it took, for how much. */
export function RunFigures({ name, run }: { name: string; run: OrchestrationRun }) {
  const { ref, caller, created_at, ended_at, steps, cost_usd, trace_id } = run;
  const version = ref.split('@')[1] ?? '';
  // A step has the tokens of the steps inside it.
  const outermost = steps.filter(({ path }) => !path.includes('/'));
  const tokens = outermost.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0);
  return (
    <span className="flex flex-wrap gap-x-4">
      <When at={created_at} />
      <span>by {caller}</span>
      {ended_at !== null && <span>{duration(Date.parse(ended_at) - Date.parse(created_at))}</span>}
      <span>{plural(steps.length, 'call')}</span>
      <span>{count(tokens)} tokens</span>
      <span>{money(cost_usd)}</span>
      <Link to="/orchestrations/$name/versions" params={{ name }} search={{ version }} className="text-accent">
        version {version}
      </Link>
      <Link to="/traces/$id" params={{ id: trace_id }} className="text-accent">
        Trace {trace_id.slice(0, 8)}
      </Link>
    </span>
  );
}
