// Asks the container of a sent call that has no connection, until the answer comes. A container that does not know the call is asked to refuse every
// sending of the call that is still on its way. A yes proves that the call never began, and never will. A yes from another start of the container,
// or from an older wrapper, proves nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { request, type Dispatcher } from 'undici';
import type { Problem } from '@gantry/contract/problems.ts';
import type { CalledRevision, ServingAddress } from '../../deploy/serving/serving.ts';
import { answerOf, readAnswer, type Answer } from '../answer.ts';
import { longest_wait_ms } from '../await-instance.ts';
import type { Ingress } from '../ingress.ts';
import { interrupted, unknown } from './lost-call.ts';
import { statusIn } from './outcome.ts';
import { retryWhileAway } from './retry-while-away.ts';
import { refusalOf, startOf } from '../upstream.ts';

/** The longest time that the wrapper holds the request open until the run ends. */
const wait_seconds = 20;
const look_again_ms = 1000;

export interface AskedCall {
  id: string;
  instance_id: string;
  start_id: string | null;
  attempt: number;
  is_begun: boolean;
  stored_seconds_ago: number;
}

export type Found =
  /** Not under its guardrails yet. */
  { answer: Answer; revision: CalledRevision } | { problem: Problem } | 'never_begun';

/** Undefined when the signal ends first. */
export async function askForEnd(
  ingress: Ingress,
  call: AskedCall,
  { signal, onBegun }: { signal: AbortSignal; onBegun: () => Promise<void> },
): Promise<Found | undefined> {
  const { agents } = ingress;
  const asked_at = performance.now();
  let { is_begun } = call;
  let silent_since: number | undefined;
  while (!signal.aborted) {
    const called = await retryWhileAway(signal, async () => await agents.instance(call.instance_id));
    if (signal.aborted) break;
    const stored_seconds_ago = call.stored_seconds_ago + Math.ceil((performance.now() - asked_at) / 1000);
    const seen =
      called === undefined ? 'gone' : await look(ingress, called.address, { ...call, stored_seconds_ago, signal });
    if (signal.aborted) break;
    if (typeof seen === 'object' && called !== undefined) return { answer: seen, revision: called.revision };
    if (seen === 'never_begun') return seen;
    silent_since = seen === 'silent' ? (silent_since ?? performance.now()) : undefined;
    const isTooLong = silent_since !== undefined && performance.now() - silent_since > longest_wait_ms;
    if (seen === 'gone' || seen === 'not_here' || isTooLong) {
      const end = await retryWhileAway(signal, async () => await agents.lastEnd(call.instance_id, stored_seconds_ago));
      const lost = is_begun ? interrupted : unknown;
      return signal.aborted ? undefined : { problem: lost(call.id, seen === 'gone' ? end : undefined) };
    }
    if (seen === 'running' && !is_begun) {
      is_begun = true;
      await onBegun();
    }
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the loop ends
  }
  return undefined;
}

type Seen = Answer | 'running' | 'queued' | 'never_begun' | 'not_here' | 'gone' | 'silent';

interface Look extends Omit<AskedCall, 'is_begun'> {
  signal: AbortSignal;
}

async function look(ingress: Ingress, instance: ServingAddress, call: Look): Promise<Seen> {
  const { id, start_id, attempt, stored_seconds_ago } = call;
  try {
    const told = await ask(ingress, instance, call, {
      method: 'GET',
      path: `/runs/${id}/answer?wait_seconds=${wait_seconds}`,
    });
    const isOther = start_id !== null && told.start !== undefined && told.start !== start_id;
    if (isOther) return 'gone';
    if (told.is_not_begun) return 'never_begun';
    const { status, content_type, body } = told;
    if (status === 202) return statusIn(body) === 'queued' ? 'queued' : 'running';
    if (status !== 404) {
      const refused = refusalOf('the agent', { status, content_type });
      return refused === undefined ? { status, content_type, body } : answerOf(refused);
    }
    if (start_id === null) return 'not_here';
    const refusing = `/runs/${id}/refuse?attempt=${attempt}&stored_seconds_ago=${stored_seconds_ago}`;
    const refused = await ask(ingress, instance, call, { method: 'POST', path: refusing });
    if (refused.start !== start_id) return 'gone';
    if (refused.status === 200) return 'never_begun';
    // It came a moment ago, or it has ended so long ago that its answer is forgotten.
    return refused.status === 409 && (await isKnown(ingress, instance, call)) ? 'running' : 'not_here';
  } catch {
    // A failed request means a silent container.
    return 'silent';
  }
}

async function isKnown(ingress: Ingress, instance: ServingAddress, call: Look): Promise<boolean> {
  return (await ask(ingress, instance, call, { method: 'GET', path: `/runs/${call.id}` })).status !== 404;
}

async function ask(
  { connections }: Ingress,
  instance: ServingAddress,
  { signal }: Look,
  { method, path }: { method: 'GET' | 'POST'; path: string },
): Promise<Answer & { start: string | undefined; is_not_begun: boolean }> {
  const { url, headers } = await instance.reach();
  const answered: Dispatcher.ResponseData = await request(url + path, {
    dispatcher: connections.to({ ...instance, url }),
    method,
    headers: { 'x-svc-ingress-secret': instance.secret, ...headers },
    headersTimeout: (wait_seconds + 10) * 1000,
    bodyTimeout: 30_000,
    signal,
  });
  const answer = await readAnswer('the agent', {
    status: answered.statusCode,
    content_type: String(answered.headers['content-type']),
    body: answered.body,
  });
  return {
    ...answer,
    start: startOf(answered.headers),
    is_not_begun: answered.headers['x-svc-not-begun'] !== undefined,
  };
}
