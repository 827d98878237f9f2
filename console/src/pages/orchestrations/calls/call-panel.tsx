// All of one call: which content of which agent answered, what it took, its answer, or why it failed and what to do next.
import { isOrchestration, type OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import type { OrchestrationRun, OrchestrationStep } from '@gantry/contract/agents/orchestrations.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CodeView } from '../../../parts/code/code.tsx';
import { Copy, Digest } from '../../../parts/copy.tsx';
import { count, duration, money } from '../../../parts/figures/figures.ts';
import { Facts } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { When } from '../../../parts/figures/when.tsx';
import { agentNameOf, memberLink } from '../members/agent-name.ts';
import { meanings, stateOfCall, tookOf } from './calls.ts';

interface CallPanelProps {
  call: OrchestrationStep;
  run: OrchestrationRun;
  config: OrchestrationConfig;
}

export function CallPanel({ call, run, config }: CallPanelProps) {
  const { path, member, problem, answer, run_id } = call;
  const state = stateOfCall(call, run.ended_at !== null);
  // A call that has failed does not name its agent.
  const own = path.includes('/') ? undefined : config.agents.find(({ name }) => name === member)?.ref;
  const ref = call.agent ?? own;
  const agent = ref === undefined || isOrchestration({ ref }) ? undefined : agentNameOf(ref);
  return (
    <section
      aria-label={`Call ${path}`}
      className="flex min-w-0 flex-col gap-4 rounded border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-section break-words">{path}</h2>
        <State meaning={meanings[state]}>{state}</State>
      </div>
      {problem !== null && <Refusal error={readProblem(problem) ?? problem['title']} />}
      <Facts facts={factsOf(call, ref)} />
      {agent !== undefined && run_id !== null && (
        <p className="flex flex-wrap gap-x-4">
          <Link to="/agents/$name/logs" params={{ name: agent }} search={{ request: run_id }} className="text-accent">
            Its log
          </Link>
          <Link to="/traces/$id" params={{ id: run.trace_id }} className="text-accent">
            Trace
          </Link>
          {problem !== null && (
            <Link to="/agents/$name/try" params={{ name: agent }} className="text-accent">
              Try {agent} alone
            </Link>
          )}
        </p>
      )}
      {answer !== null && (
        <div className="flex flex-col gap-1">
          <h3>Answer</h3>
          <CodeView text={answer} language="text" label={`Answer of ${path}`} wraps />
        </div>
      )}
      {answer === null && state === 'done' && (
        <p className="text-quiet">Its answer is for the caller of the run, for seven days.</p>
      )}
    </section>
  );
}

function factsOf(call: OrchestrationStep, ref: string | undefined): (readonly [string, ReactNode])[] {
  const { version, digest, run_id, started_at, ended_at, input_tokens, output_tokens, cost_usd } = call;
  return [
    ...(ref === undefined
      ? []
      : [
          [
            isOrchestration({ ref }) ? 'Orchestration' : 'Agent',
            <Link key="agent" {...memberLink(ref)} className="text-accent">
              {agentNameOf(ref)}
              {version !== null && ` ${version}`}
            </Link>,
          ] as const,
        ]),
    ...(digest === null ? [] : [['Content', <Digest key="digest" digest={digest} />] as const]),
    ['Began', <When key="began" at={started_at} exact />],
    ['Took', duration(ended_at === null ? null : tookOf(call, 0))],
    ['Tokens', `${count(input_tokens)} in, ${count(output_tokens)} out`],
    ['Cost', money(cost_usd)],
    // An orchestration works inside this run.
    ...(run_id === null
      ? []
      : [
          [
            'Run',
            <span key="run" className="font-mono text-meta">
              <Copy text={run_id} label="the run id">
                {run_id.slice(0, 8)}
              </Copy>
            </span>,
          ] as const,
        ]),
  ];
}
