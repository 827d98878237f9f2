// Requests a deploy. The client can first wait for another deploy of the agent (--wait) or for the approval (--wait-approval).
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { printTargetFlag } from '../agent/target-flag.ts';
import { deciders } from '../review/describe-approval.ts';
import { CliRefusal } from '../refusal.ts';
import { sayOnInterrupt } from '../run/left-behind.ts';
import type { Session } from '../session/session.ts';
import { faint } from '../view/view.ts';
import { duration } from '../view/relative-time.ts';
import { latestRequest, withRequest } from './approval-request.ts';

export interface DeployWish {
  ref: string;
  target: string | undefined;
  force: boolean;
  wait: boolean;
  waitApproval: boolean;
  /** The message for the reviewer when this command requests the approval. */
  message?: string | undefined;
}

const poll_ms = 2000;

/** The deploy, or `runs already`: a repeated pipeline is then done. */
export async function requestDeployment(session: Session, wish: DeployWish): Promise<Deployment | 'runs already'> {
  for (;;) {
    try {
      const { ref, target, force } = wish;
      return await session.call('deployments.create', {
        body: { ref, force, ...(target === undefined ? {} : { target }) },
      });
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined;
      if (code === 'already_deployed') return 'runs already';
      if (code === 'deploy_running' && wish.wait) await awaitOtherDeploy(session, wish.ref);
      else if (code === 'approval_required' && wish.waitApproval) await awaitDecision(session, wish, error);
      else throw await withRequest(session, wish, error);
    } finally {
      session.output.progress(undefined);
    }
  }
}

async function awaitOtherDeploy(session: Session, ref: string): Promise<void> {
  const agent = parseVersionRef(ref)?.name;
  const left = { sentence: `No longer waiting. The other deploy goes on, and ${ref} is not deployed`, next: [] };
  await sayOnInterrupt(session, left, async () => {
    await poll(session, 'waiting for the running deploy of this agent', async () => {
      const { items } = await session.call('deployments.list', {
        query: { limit: 5, ...(agent === undefined ? {} : { agent }) },
      });
      return items.every(({ state }) => hasEnded(state));
    });
  });
}

/** Ends with the approval; throws when the request closes in another way. Without a request it submits one. */
async function awaitDecision(session: Session, wish: DeployWish, refusal: unknown): Promise<void> {
  const { ref } = wish;
  const request = await requestToAwait(session, wish, refusal);
  const { id } = request;
  session.output.note(`Waiting for the approval of ${ref}: request ${id}, can be decided by ${deciders(request)}`);
  const left = {
    sentence: `No longer waiting. The request ${id} for ${ref} stays, and can still be decided`,
    next: [
      {
        command: `svc deploy ${ref}${printTargetFlag(wish.target)} --wait-approval`,
        when: 'to wait again, and then deploy',
      },
      { command: `svc review withdraw ${id}`, when: 'to take the request back' },
    ],
  };
  await sayOnInterrupt(session, left, async () => {
    await poll(session, 'waiting for the decision', async () => {
      const request = await again(session, wish, id);
      if (request.status === 'rejected') throw rejected(request);
      return request.status === 'approved';
    });
  });
}

/** The pending request, or a new one; a user who may not submit waits for somebody else's. */
async function requestToAwait(session: Session, wish: DeployWish, refusal: unknown): Promise<Approval> {
  const { ref, target, message } = wish;
  const latest = await latestRequest(session, wish);
  if (latest?.closed_reason === 'rejected' && latest.digest === (await digestOf(session, ref))) throw rejected(latest);
  try {
    return await session.call('approvals.submit', {
      body: { asset: ref, ...(message === undefined ? {} : { message }), ...(target === undefined ? {} : { target }) },
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'forbidden') throw error;
    if (latest?.status === 'pending') return latest;
    throw await withRequest(session, wish, refusal);
  }
}

async function digestOf(session: Session, ref: string): Promise<string | undefined> {
  const version = parseVersionRef(ref);
  if (version === undefined) return undefined;
  const { kind, name } = version;
  const { versions } = await session.call('registry.show', { params: { kind, name } });
  return versions.find((each) => each.version === version.version)?.digest;
}

function rejected({ id, asset, asset_version, closed_reason, reason }: Approval): CliRefusal {
  const why = reason === null || reason === '' ? '' : `: ${reason}`;
  return new CliRefusal(
    'rejected',
    `The request for ${asset}@${asset_version} was ${closed_reason ?? 'rejected'}${why}`,
    {
      hint: `Run \`svc review show ${id}\`.`,
    },
  );
}

/** From the list, which does not compute the changes for each question; an older request is loaded by its id. */
async function again(session: Session, wish: DeployWish, id: string): Promise<Approval> {
  const latest = await latestRequest(session, wish);
  return latest?.id === id ? latest : await session.call('approvals.show', { params: { id } });
}

/** Repeats until it is done or until Ctrl-C; it has no deadline of its own. */
async function poll(session: Session, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!(await isSo())) {
    session.output.progress([faint('… '), what, faint(`  ${duration(Date.now() - started)}`)]);
    await delay(poll_ms, undefined, { signal: session.signal });
  }
}
