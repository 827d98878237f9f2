// The attempts of one call: at the upstreams of its model, then at its fallbacks, until an answer begins. Each attempt is admitted anew, so it
// has a hold of its own, and the key may call its model. Must never happen: an attempt after the first byte of an answer.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { inOrderOfCall } from './choose-upstream.ts';
import type { Health, Place } from './health.ts';
import type { Model, Upstream } from '../model.ts';

/** What an attempt knows after its admission. */
interface Holding {
  model: Model;
  key: { settings: { fallback?: string | undefined } };
}

export interface Call<Held extends Holding> {
  /** The requested name of a model. */
  model: string;
  /** Throws a refusal. */
  admit(model: string, attempt: number): Promise<Held>;
  /** Settles the hold. Throws AttemptFailed. */
  send(held: Held, upstream: Upstream): Promise<Reply>;
  /** Settles a hold for which nothing was sent. */
  release(held: Held): void;
  /** Ends when nobody waits for the answer. */
  signal: AbortSignal;
}

const max_attempts = 5;

export async function callInTurn<Held extends Holding>(health: Health, call: Call<Held>): Promise<Reply> {
  const names = [call.model];
  const tried = new Set<string>();
  const refusals: string[] = [];
  let failed: AttemptFailed | undefined;
  let attempt = 0;
  let ends_ms = Infinity;
  // The first admission adds the fallback of the key's agent, and those of the model.
  for (const name of names) {
    let left: Upstream[] | undefined;
    while (left === undefined || left.length > 0) {
      let held: Held;
      try {
        attempt += 1;
        held = await call.admit(name, attempt);
      } catch (error) {
        if (failed === undefined || !(error instanceof Problem)) throw error;
        refusals.push(error.detail);
        break;
      }
      const { model, key } = held;
      if (attempt === 1) {
        names.push(
          ...(key.settings.fallback === undefined ? [] : [key.settings.fallback]),
          ...model.fallbacks.map(printed),
        );
        ends_ms = Date.now() + model.timeouts.total_ms;
      }
      left ??= tried.has(model.id) ? [] : inOrderOfCall(model.upstreams);
      tried.add(model.id);
      const chosen = firstPermitted(health, model, left);
      if (chosen instanceof AttemptFailed) {
        call.release(held);
        failed ??= chosen;
        break;
      }
      try {
        const reply = await call.send(held, chosen);
        health.succeeded(placeOf(model, chosen));
        return reply;
      } catch (error) {
        report(health, placeOf(model, chosen), error);
        if (!(error instanceof AttemptFailed)) throw error;
        failed = error;
        if (!error.isRetried || call.signal.aborted || attempt === max_attempts || Date.now() > ends_ms)
          throw problemOf(failed, refusals);
      }
    }
  }
  throw failed === undefined ? new Error('no attempt was made') : problemOf(failed, refusals);
}

export function placeOf({ id }: Model, { base_url }: Upstream): Place {
  return { model_id: id, address: base_url };
}

interface Fault {
  why: string;
  hint?: string;
  retry_after_seconds?: number;
  isFull?: boolean;
}

/** A config names entries of the catalogue. */
const printed = (name: string) => `models/${name}`;

/** Takes it, and those before it, from the list. */
function firstPermitted(health: Health, model: Model, left: Upstream[]): Upstream | AttemptFailed {
  const faults: Fault[] = [];
  for (let upstream = left.shift(); upstream !== undefined; upstream = left.shift()) {
    const unset = missingCredential(model, upstream);
    if (unset !== undefined) {
      faults.push(unset);
      continue;
    }
    const permission = health.permit(placeOf(model, upstream));
    if (permission.isPermitted) return upstream;
    const { seconds: retry_after_seconds, isFull } = permission;
    const why = isFull ? 'its provider takes no more calls for the moment' : 'it has failed, and is paused';
    faults.push({ why, retry_after_seconds, isFull });
  }
  const { why, hint, ...more }: Fault = faults[0] ?? {
    why: 'it has no address',
    hint: 'Set `base_url` in its config.',
  };
  const paused = unavailable(model, why, { hint, ...more });
  // Clients of vendors wait after 429, and take 503 for a fault.
  const isFull = faults.length > 0 && faults.every((one) => one.isFull);
  const problem = isFull ? new Problem('rate_limit_exceeded', { detail: paused.detail, ...more }) : paused;
  return new AttemptFailed(problem, { kind: 'unsent', ...more });
}

export function missingCredential(
  { team }: Model,
  { secret, credential, service_account }: Upstream,
): Fault | undefined {
  if (secret === undefined || (credential ?? service_account) !== undefined) return undefined;
  return {
    why: `the secret ${secret} of team:${team.name} is not set`,
    hint: `Set it: \`svc secret set ${secret} --team ${team.name}\`.`,
  };
}

/** Ends a permission of an upstream whose attempt has failed. */
export function report(health: Health, at: Place, error: unknown): void {
  if (!(error instanceof AttemptFailed)) return health.ended(at);
  const { kind, message, status, retry_after_seconds } = error;
  if (kind === 'refused') health.succeeded(at);
  else if (kind === 'busy' || kind === 'abandoned') health.ended(at);
  else health.failed(at, status === undefined ? message : `It answered ${status}.`);
  // 408 and 409 are about one request.
  if (retry_after_seconds === undefined || status === undefined) return;
  if (status === 429 || status >= 500) health.rests(at, retry_after_seconds, status === 429);
}

function problemOf({ problem }: AttemptFailed, refusals: readonly string[]): Problem {
  if (refusals.length === 0) return problem;
  const { code, detail, hint, retry_after_seconds, fields } = problem;
  return new Problem(code, {
    detail: `${detail} No other model was called: ${refusals.join(' ')}`,
    fields,
    ...(hint === undefined ? {} : { hint }),
    ...(retry_after_seconds === undefined ? {} : { retry_after_seconds }),
  });
}
