// A person decides from this page alone: who asks for what, since what, what it newly reaches, and every change.
import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { Changes } from './changes.tsx';
import { Comments } from './comments.tsx';
import { Decide } from './decide.tsx';
import { Guarding } from './guarding.tsx';
import { OnTarget } from './on-target.tsx';
import { Outcome } from './outcome.tsx';
import { QueueSteps } from './queue-steps.tsx';
import { Reach } from './reach.tsx';
import { RequestState } from './request-state.tsx';
import { Since } from './since.tsx';

const route = getRouteApi('/approvals/$id');
const above = [{ label: 'Approvals', link: { to: '/approvals' } }] as const;

export function ReviewPage() {
  const { id } = route.useParams();
  const request = useQuery(ask('approvals.show', { params: { id } }));
  const svc = `svc review show ${id.slice(0, 8)} --diff`;
  if (request.data !== undefined) return <Review key={id} request={request.data} svc={svc} />;
  return (
    <Page title="Request" above={above} svc={svc}>
      {request.error === null ? <Skeletons /> : <Refusal error={request.error} />}
    </Page>
  );
}

function Review({ request, svc }: { request: ApprovalDetail; svc: string }) {
  const { asset, asset_version, target, submitted_by, submitted_at } = request;
  return (
    <Page
      title={`${asset} ${asset_version}`}
      above={above}
      stays
      state={<RequestState request={request} />}
      about={
        <>
          {target !== 'none' && <>for target {target}, </>}asked by {submitted_by} <When at={submitted_at} />
        </>
      }
      svc={svc}
      actions={
        <>
          <QueueSteps id={request.id} />
          <Decide request={request} />
        </>
      }
    >
      <Outcome request={request} />
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-8 max-wide:grid-cols-1">
        <div>
          <Reach request={request} />
          <Guarding request={request} />
          <OnTarget request={request} />
        </div>
        <Since request={request} />
      </div>
      <Changes request={request} />
      <Comments request={request} />
    </Page>
  );
}

function Skeletons() {
  return (
    <>
      <div className="skeleton mb-6 h-16" />
      <div className="grid grid-cols-2 gap-x-8 max-wide:grid-cols-1">
        <div className="skeleton h-44" />
        <div className="skeleton h-44" />
      </div>
      <div className="skeleton mt-6 h-96" />
    </>
  );
}
