// One run: how far it is as a graph, its answer, and each call with its times, tokens, cost and answer.
import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Page, Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { CallPanel } from '../calls/call-panel.tsx';
import { CallTable } from '../calls/call-table.tsx';
import { CancelRun } from './cancel-run.tsx';
import { useConfig } from '../config.ts';
import { Graph } from '../graph/graph.tsx';
import { RunAnswer } from './run-answer.tsx';
import { RunFigures } from './run-figures.tsx';
import { RunState, toldState } from './run-state.tsx';
import { strategies } from '../strategies.ts';
import { useRun } from './use-run.ts';

const route = getRouteApi('/orchestrations/$name/history/$run');

export function RunPage() {
  const { name, run: run_id } = route.useParams();
  const { call } = route.useSearch();
  const { data: run, error } = useRun(name, run_id);
  return (
    <Page
      title={`Run ${run_id.slice(-8)}`}
      above={[
        { label: 'Orchestrations', link: { to: '/orchestrations' } },
        { label: name, link: { to: '/orchestrations/$name', params: { name } } },
        { label: 'Runs', link: { to: '/orchestrations/$name/history', params: { name } } },
      ]}
      wide
      state={run && <RunState state={toldState(run)} />}
      actions={run?.ended_at === null && <CancelRun name={name} run_id={run_id} />}
      about={
        run === undefined ? <span className="skeleton inline-block h-4 w-96" /> : <RunFigures name={name} run={run} />
      }
      svc={`svc orchestration run ${name} --run ${run_id}`}
    >
      {run === undefined && error !== null && <Refusal error={error} />}
      {run === undefined && error === null && <div className="skeleton h-96" />}
      {run !== undefined && <Shown name={name} run={run} chosen={call} />}
    </Page>
  );
}

function Shown({ name, run, chosen }: { name: string; run: OrchestrationRun; chosen: string | undefined }) {
  const { steps, output, problem, notices, ended_at, status } = run;
  const { config, error } = useConfig(name, parseVersionRef(run.ref)?.version);
  const hasEnded = ended_at !== null;
  const shown =
    steps.find(({ path }) => path === chosen) ?? steps.find(({ state }) => state === 'failed') ?? steps.at(-1);
  return (
    <>
      {error !== null && <Refusal error={error} />}
      {config === undefined && error === null && <div className="skeleton mb-6 h-40" />}
      {config !== undefined && (
        <div className="mb-6 max-w-300">
          <Graph
            label={`${name}: ${strategies[config.strategy].name}, as a graph`}
            config={config}
            run={{ calls: steps, hasEnded, hasAnswer: status !== null }}
          />
        </div>
      )}
      <div className="max-w-300">
        <RunAnswer
          output={output}
          calls={steps}
          error={readProblem(problem) ?? problem ?? undefined}
          notices={notices}
        />
      </div>
      {config !== undefined && (
        <div className="grid grid-cols-[minmax(0,1fr)_360px] items-start gap-6 max-wide:grid-cols-1">
          <Section title="Calls">
            <CallTable
              name={name}
              run_id={run.run_id}
              calls={steps}
              hasEnded={hasEnded}
              config={config}
              isChosen={({ path }) => path === shown?.path}
            />
          </Section>
          {shown !== undefined && <CallPanel call={shown} run={run} config={config} />}
        </div>
      )}
    </>
  );
}
