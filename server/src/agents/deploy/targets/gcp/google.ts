// Calls of Google's APIs as plain JSON. A client of Google would leave out a misspelt field without a word; the tests compare each request with the
// API's own description.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';
import type { AccessToken } from './credential.ts';
import { methods, type Method, type MethodName } from './methods.ts';
import type { GoogleRequest } from './requests.ts';

export interface Google {
  /** Throws `Refused` for what Google refuses, and `engine_unavailable` without an answer of the expected form. */
  call<T>(request: GoogleRequest, form: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
}

/** A refusal by Google, with its own sentence. */
class Refused extends Problem {
  /** As Google names it: `NOT_FOUND`. */
  readonly reason: string;
  constructor(reason: string, code: ProblemCode, detail: string) {
    super(code, { detail });
    this.reason = reason;
  }
}

/** The answer of a missing thing is undefined. */
export async function unlessRefused<T>(reasons: readonly string[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}

export interface GoogleParts {
  token: AccessToken;
  outbound: Pick<Outbound, 'request'>;
  /** By the name of the API, such as `run`. */
  baseOf?: (api: string) => string;
  /** Every request, as it is sent. */
  onRequest?: (request: GoogleRequest) => void;
}

const answer_ms = 30_000;
const most_bytes = 16 * 1024 ** 2;
const most_words = 1000;
/** Too many calls, or a moment without the service. */
const passing = [429, 503];
const pauses_ms = [1000, 3000];

export function google({
  token,
  outbound,
  baseOf = (api) => `https://${api}.googleapis.com`,
  onRequest,
}: GoogleParts): Google {
  const send = async (request: GoogleRequest, signal?: AbortSignal) => {
    const { verb } = methodOf(request.method);
    onRequest?.(request);
    const limit = AbortSignal.timeout(answer_ms);
    const authorization = `Bearer ${await token(signal)}`;
    try {
      const answer = await outbound.request(`${baseOf(apiOf(request.method))}/${pathOf(request)}`, {
        method: verb,
        headers: {
          authorization,
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      const text = (await readAtMost(answer.body, most_bytes, () => new Error('too long'))).toString();
      return { status: answer.statusCode, body: parsed(text) };
    } catch (error) {
      signal?.throwIfAborted();
      throw unanswered(request.method, error);
    }
  };

  return {
    async call(request, form, signal) {
      for (let tries = 0; ; tries++) {
        const { status, body } = await send(request, signal);
        const pause = pauses_ms[tries];
        if (passing.includes(status) && pause !== undefined) {
          await sleep(pause, undefined, { ...(signal && { signal }) });
          continue;
        }
        if (status !== 200) throw refusalOf(status, body);
        const found = form.safeParse(body);
        if (!found.success) throw unanswered(request.method, new Error('an answer of another form'));
        return found.data;
      }
    },
  };
}

const methodOf = (name: MethodName): Method => methods[name];
const apiOf = (name: MethodName) => name.slice(0, name.indexOf('.'));

/** A name is made of parts that Google's own rules allow. Any other would be another path. */
export function pathOf({ method, name, query = {} }: GoogleRequest): string {
  if (!/^[A-Za-z0-9._@/-]*$/.test(name) || name.split('/').includes('..'))
    throw new Error(`${JSON.stringify(name)} is no name of a thing of Google`);
  const asked = new URLSearchParams(query).toString();
  return `${methodOf(method).path.replace('{}', name)}${asked === '' ? '' : `?${asked}`}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refusal = z.object({ error: z.object({ status: z.string(), message: z.string() }) });

/** A path that no API has is answered with a page, and is no missing thing. */
function refusalOf(status: number, body: unknown): Problem {
  const said = refusal.safeParse(body);
  if (!said.success)
    return new Problem('engine_unavailable', { detail: `Google answers ${status} without a reason in its own form.` });
  const { status: reason, message } = said.data.error;
  const words = message.slice(0, most_words);
  if (status === 401)
    return new Refused(reason, 'engine_unavailable', 'Google does not accept the credential of the target.');
  const code = [400, 404, 409].includes(status) ? 'start_failed' : 'engine_unavailable';
  return new Refused(reason, code, `Google refuses it (${reason}): ${words}`);
}

function unanswered(method: MethodName, error: unknown): Error {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = code ?? (error instanceof Error ? error.message : 'no answer');
  return new Problem('engine_unavailable', { detail: `${method} of Google has no answer (${reason.slice(0, 200)}).` });
}
