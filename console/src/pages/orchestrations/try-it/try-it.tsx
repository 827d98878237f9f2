import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Empty, Section } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import { CallTable } from '../calls/call-table.tsx';
import { CancelRun } from '../runs/cancel-run.tsx';
import { useConfig } from '../config.ts';
import { Graph } from '../graph/graph.tsx';
import type { LiveRun } from './live-run.ts';
import { OrchestrationPage } from '../orchestration-page.tsx';
import { RunAnswer } from '../runs/run-answer.tsx';
import { RunInputForm } from './run-input.tsx';
import { RunState } from '../runs/run-state.tsx';
import { strategies } from '../strategies.ts';
import { useLiveRun } from './use-live-run.ts';
import { useRun } from '../runs/use-run.ts';

const route = getRouteApi('/orchestrations/$name/try');

export function TryItPage() {
  const { name } = route.useParams();
  return (
    <OrchestrationPage name={name} tab="try">
      <TryIt key={name} name={name} />
    </OrchestrationPage>
  );
}

function TryIt({ name }: { name: string }) {
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const { data: check } = useQuery(ask('orchestrations.check', { params: { name }, query: {} }));
  const { config, error } = useConfig(name, asset?.serving_version ?? undefined);
  const { run, begin } = useLiveRun(name);
  if (asset?.serving_version === null) return <Empty>It answers calls once a version of it is deployed.</Empty>;
  if (error !== null) return <Refusal error={error} />;
  if (config === undefined) return <div className="skeleton h-96" />;
  const hasEnded = run !== undefined && run.state !== 'running' && run.state !== 'waiting';
  return (
    <>
      <RunInputForm
        name={name}
        can={check?.can['orchestrate.call']}
        isRunning={run?.state === 'running'}
        onRun={(input) => void begin(input)}
        cancel={run?.state === 'running' && <CancelRun name={name} run_id={run.run_id} />}
      />
      <Section
        title={run === undefined ? strategies[config.strategy].about : 'Run'}
        aside={run !== undefined && <About name={name} run={run} />}
      >
        <Graph
          label={`${name}: ${strategies[config.strategy].name}, as a graph`}
          config={config}
          {...(run !== undefined && { run: { calls: run.calls, hasEnded, hasAnswer: run.output !== undefined } })}
        />
      </Section>
      {run !== undefined && <Told key={run.id} name={name} run={run} config={config} />}
    </>
  );
}

function About({ name, run: { run_id, state } }: { name: string; run: LiveRun }) {
  return (
    <span role="status" className="flex items-baseline gap-4">
      <RunState state={state} />
      {run_id !== undefined && (
        <Link to="/orchestrations/$name/history/$run" params={{ name, run: run_id }} className="text-accent">
          Run {run_id.slice(-8)}
        </Link>
      )}
    </span>
  );
}

function Told({ name, run, config }: { name: string; run: LiveRun; config: OrchestrationConfig }) {
  const hasEnded = run.state !== 'running' && run.state !== 'waiting';
  // After the end of the stream the service knows more, also of a run that waits.
  const stored = useRun(name, run.state === 'running' ? undefined : run.run_id);
  return (
    <>
      <RunAnswer output={run.output} calls={run.calls} error={run.error} notices={run.notices} />
      <Section title="Calls">
        <CallTable
          name={name}
          run_id={run.run_id}
          calls={stored.data?.steps ?? run.calls}
          hasEnded={hasEnded}
          config={config}
        />
      </Section>
    </>
  );
}
