// Calls of Google's APIs as plain JSON. A client of Google would leave out a misspelt field without a word; the tests compare each request with the
// API's own description.
import { z } from 'zod';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { callVendor, unanswered } from '../vendor-call.ts';
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

const most_words = 1000;

export function google({
  token,
  outbound,
  baseOf = (api) => `https://${api}.googleapis.com`,
  onRequest,
}: GoogleParts): Google {
  return {
    async call(request, form, signal) {
      const { method, body } = request;
      const { status, ...answer } = await callVendor(
        outbound,
        {
          what: whatIs(method),
          address: () => `${baseOf(apiOf(method))}/${pathOf(request)}`,
          verb: methodOf(method).verb,
          token,
          body,
          onSend: () => onRequest?.(request),
        },
        signal,
      );
      if (status !== 200) throw refusalOf(status, answer.body);
      const found = form.safeParse(answer.body);
      if (!found.success) throw unanswered(whatIs(method), new Error('an answer of another form'));
      return found.data;
    },
  };
}

const whatIs = (method: MethodName) => `${method} of Google`;
const methodOf = (name: MethodName): Method => methods[name];
const apiOf = (name: MethodName) => name.slice(0, name.indexOf('.'));

/** A name is made of parts that Google's own rules allow. Any other would be another path. */
export function pathOf({ method, name, query = {} }: GoogleRequest): string {
  if (!/^[A-Za-z0-9._@/-]*$/.test(name) || name.split('/').includes('..'))
    throw new Error(`${JSON.stringify(name)} is no name of a thing of Google`);
  const asked = new URLSearchParams(query).toString();
  return `${methodOf(method).path.replace('{}', name)}${asked === '' ? '' : `?${asked}`}`;
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
