import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { usualTimes } from '@gantry/contract/agents/usual-times.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { duration } from '../../parts/figures/figures.ts';
import { Page, Section } from '../../parts/page/page.tsx';
import { commandsIn, Refusal } from '../../parts/refusal.tsx';
import { useNow, When } from '../../parts/figures/when.tsx';
import { ask, refresh } from '../../server.ts';
import { useStream } from '../../use-stream.ts';
import { DeploymentActions } from './deployment-actions.tsx';
import { DeploymentState } from './deployment-state.tsx';
import { Answers, Failure, Receipt } from './outcome.tsx';
import { operationNouns, titleOf } from './operation-words.ts';
import { linesOf, stateOf, stepsOf } from './progress.ts';
import { Steps } from './steps.tsx';

const route = getRouteApi('/deployments/$id');

const isEnd = ({ kind }: RunEvent) => kind === 'end';
const whole = (event: RunEvent) => event;

export function DeploymentPage() {
  const { id } = route.useParams();
  const { data: deployment, error } = useQuery(ask('deployments.show', { params: { id } }));
  if (deployment === undefined)
    return (
      <Page title="Deployment" svc={`svc deployments show ${id.slice(0, 8)}`}>
        {error === null ? <div className="skeleton h-72" /> : <Refusal error={error} />}
      </Page>
    );
  return <Watched deployment={deployment} />;
}

function Watched({ deployment }: { deployment: Deployment }) {
  const { id, operation, agent, actor, created_at, ended_at } = deployment;
  const { items: events, error } = useStream('deployments.events', { params: { id } }, { read: whole, isLast: isEnd });
  const { data: earlier } = useQuery(ask('deployments.list', { query: { agent, limit: 6 } }));
  const state = stateOf(deployment, events);
  const isOver = hasEnded(state);
  // The end of the stream is before the answer that knows the receipt.
  useEffect(() => {
    if (isOver) refresh(['deployments', 'agents']);
  }, [isOver]);
  const steps = stepsOf(deployment, events);
  const lines = linesOf(events);
  const failed = steps.findLast((step) => step.state === 'failed')?.name ?? '';
  const running = steps.find((step) => step.state === 'running');
  const waits = events.findLast(({ kind }) => kind === 'wait' || kind === 'step');
  return (
    <Page
      title={titleOf(deployment)}
      above={[
        { label: 'Agents', link: { to: '/agents' } },
        { label: agent, link: { to: '/agents/$name', params: { name: agent } } },
        { label: 'Deployments', link: { to: '/agents/$name/deployments', params: { name: agent } } },
      ]}
      state={<DeploymentState state={state} />}
      about={
        <>
          by {actor}, <When at={created_at} /> · <Elapsed from={created_at} to={ended_at} />
        </>
      }
      svc={`svc deployments watch ${id.slice(0, 8)}`}
      actions={<DeploymentActions deployment={deployment} state={state} />}
    >
      <p role="status" className="sr-only">
        {isOver
          ? `${operationNouns[operation]} is ${state.replaceAll('_', ' ')}`
          : `Step ${running?.n ?? 0} of ${steps.length}, ${running?.name ?? 'queued'}`}
      </p>
      {error !== undefined && <Refusal error={error} />}
      {deployment.state === 'done' &&
        (earlier === undefined ? (
          <div className="skeleton mb-6 h-20" />
        ) : (
          // A later operation may have changed it.
          earlier.items.find((each) => each.state === 'done')?.id === id && <Answers deployment={deployment} />
        ))}
      {deployment.problem !== null && <Failure deployment={deployment} lines={lines.get(failed) ?? []} />}
      <div className="grid grid-cols-[minmax(0,1fr)_300px] gap-6 max-wide:grid-cols-1">
        <Section title="Steps" aside={waits?.kind === 'wait' && !isOver && waits.message}>
          <Steps
            steps={steps}
            lines={lines}
            usual={usualTimes(earlier?.items.filter((each) => each.operation === operation) ?? [])}
          />
          {deployment.notices.length > 0 && (
            <ul aria-label="Notices" className="mt-3 flex flex-col gap-1 text-meta text-quiet">
              {deployment.notices.map((notice) => (
                <li key={notice}>{commandsIn(notice)}</li>
              ))}
            </ul>
          )}
        </Section>
        <Receipt deployment={deployment} />
      </div>
    </Page>
  );
}

function Elapsed({ from, to }: { from: string; to: string | null }) {
  const now = useNow(to === null ? 1000 : 3_600_000);
  const took_ms = Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from));
  return to === null ? `${duration(Math.floor(took_ms / 1000) * 1000)} so far` : `took ${duration(took_ms)}`;
}
