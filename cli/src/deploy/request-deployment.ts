// Asks the service for a deploy, and waits in the client for what may stand in its way when that is wanted: another
// deploy of the agent (--wait), the approval (--wait-approval).
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '@gantry/contract/approvals.ts';
import type { Deployment } from '@gantry/contract/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { hasEnded } from '@gantry/contract/runs.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { faint } from '../view/view.ts';
import { duration } from '../view/relative-time.ts';
import { latestRequest, withStanding } from './standing.ts';

export interface DeployWish {
  ref: string;
  target: string | undefined;
  force: boolean;
  wait: boolean;
  waitApproval: boolean;
}

const pollMilliseconds = 2000;

export async function requestDeployment(session: Session, wish: DeployWish): Promise<Deployment> {
  for (;;) {
    try {
      const { ref, target, force } = wish;
      return await session.call('deployments.create', {
        body: { ref, force, ...(target === undefined ? {} : { target }) },
      });
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined;
      if (code === 'deploy_running' && wish.wait) await awaitOtherDeploy(session, wish.ref);
      else if (code === 'approval_required' && wish.waitApproval) await awaitDecision(session, wish.ref, error);
      else throw await withStanding(session, wish.ref, error);
    } finally {
      session.output.progress(undefined);
    }
  }
}

async function awaitOtherDeploy(session: Session, ref: string): Promise<void> {
  const agent = parseVersionRef(ref)?.name;
  await poll(session, 'waiting for the running deploy of this agent', async () => {
    const { items } = await session.call('deployments.list', {
      query: { limit: 5, ...(agent === undefined ? {} : { agent }) },
    });
    return items.every(({ state }) => hasEnded(state));
  });
}

/** Ends when the request is approved; refused when it is closed in any other way, or when there is none to wait for. */
async function awaitDecision(session: Session, ref: string, refusal: unknown): Promise<void> {
  const request = await latestRequest(session, ref);
  if (request?.status !== 'pending') throw await withStanding(session, ref, refusal);
  const { id, can_decide } = request;
  session.output.note(`Waiting for the approval of ${ref}: request ${id}, can be decided by ${can_decide.join(', ')}`);
  await poll(session, 'waiting for the decision', async () => {
    const { status, closed_reason, reason } = await again(session, ref, id);
    if (status === 'rejected')
      throw new Refusal(
        'rejected',
        `The request for ${ref} was ${closed_reason ?? status}${reason === null || reason === '' ? '' : `: ${reason}`}`,
        { hint: `Run \`svc review show ${id}\`.` },
      );
    return status === 'approved';
  });
}

/** From the list, which does not work out what the request would change every time it is asked; one that is not the latest is looked up. */
async function again(session: Session, ref: string, id: string): Promise<Approval> {
  const latest = await latestRequest(session, ref);
  return latest?.id === id ? latest : await session.call('approvals.show', { params: { id } });
}

/** Until it is so or until Ctrl-C; a person decides how long is too long. */
async function poll(session: Session, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!(await isSo())) {
    session.output.progress([faint('… '), what, faint(`  ${duration(Date.now() - started)}`)]);
    await delay(pollMilliseconds, undefined, { signal: session.signal });
  }
}
