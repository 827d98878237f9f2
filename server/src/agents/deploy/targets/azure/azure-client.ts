// Calls of Azure's APIs as plain JSON. A client of Azure would leave out a misspelt field without a word; the tests compare each request with what
// Azure's client makes of it. A token goes to the two hosts of `hosts` alone: an answer may name another host, and it is never followed.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';
import type { AccessToken, Api } from './credential.ts';
import { methods, type Method, type MethodName } from './methods.ts';
import type { AzureRequest } from './requests.ts';

export interface Azure {
  /** Throws `Refused` for what Azure refuses, and `engine_unavailable` without an answer of the expected form. */
  call<T>(request: AzureRequest, form: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  /** With its status, and with the request that asks how the work goes on. Undefined: Azure names none. */
  begin(request: AzureRequest, signal?: AbortSignal): Promise<Begun>;
  /** The request for an address that an answer has. Throws for one at another host, or outside of `within`. */
  named(method: MethodName, address: string, within: string): AzureRequest;
}

interface Begun {
  status: number;
  body: unknown;
  next?: string;
}

/** A refusal by Azure, with its own sentence. */
class Refused extends Problem {
  readonly answered: number;
  constructor(answered: number, code: ProblemCode, detail: string) {
    super(code, { detail });
    this.answered = answered;
  }
}

/** The answer of a missing thing is undefined. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused && error.answered === 404) return undefined;
    throw error;
  }
}

export interface AzureParts {
  token: AccessToken;
  outbound: Pick<Outbound, 'request'>;
  hosts?: Readonly<Record<Api, string>>;
  /** Every request, as it is sent. */
  onRequest?: (request: AzureRequest) => void;
}

const own_hosts = { arm: 'https://management.azure.com', logs: 'https://api.loganalytics.azure.com' } as const;
const answer_ms = 30_000;
const most_bytes = 16 * 1024 ** 2;
const most_words = 1000;
/** Too many calls, or a moment without the service. */
const passing = [429, 503];
const pauses_ms = [1000, 3000];

export function azureClient({ token, outbound, hosts = own_hosts, onRequest }: AzureParts): Azure {
  const sendOnce = async (request: AzureRequest, signal?: AbortSignal): Promise<Begun> => {
    const { verb, api } = methodOf(request.method);
    onRequest?.(request);
    const limit = AbortSignal.timeout(answer_ms);
    const authorization = `Bearer ${await token(api, signal)}`;
    try {
      const answer = await outbound.request(`${hosts[api]}${pathOf(request)}`, {
        method: verb,
        headers: { authorization, ...(request.body !== undefined && { 'content-type': 'application/json' }) },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      const text = (await readAtMost(answer.body, most_bytes, () => new Error('too long'))).toString();
      const next = answer.headers['azure-asyncoperation'] ?? answer.headers['location'];
      return { status: answer.statusCode, body: parsed(text), ...(typeof next === 'string' && { next }) };
    } catch (error) {
      signal?.throwIfAborted();
      throw unanswered(request.method, error);
    }
  };

  const send = async (request: AzureRequest, signal?: AbortSignal): Promise<Begun> => {
    for (let tries = 0; ; tries++) {
      const answer = await sendOnce(request, signal);
      const pause = pauses_ms[tries];
      if (passing.includes(answer.status) && pause !== undefined) {
        await sleep(pause, undefined, { ...(signal && { signal }) });
        continue;
      }
      if (answer.status < 200 || answer.status > 204) throw refusalOf(answer);
      return answer;
    }
  };

  return {
    async call(request, form, signal) {
      const found = form.safeParse((await send(request, signal)).body);
      if (!found.success) throw unanswered(request.method, new Error('an answer of another form'));
      return found.data;
    },
    begin: send,
    named(method, address, within) {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      const isOwn = url?.origin === new URL(hosts.arm).origin && url.username === '' && url.password === '';
      // Azure does not keep the letters of an id.
      if (url === undefined || !isOwn || !url.pathname.toLowerCase().startsWith(within.toLowerCase()))
        throw new Problem('engine_unavailable', {
          detail: 'An answer of Azure names an address that is not Azure’s own, and it is not followed.',
        });
      const query = Object.fromEntries(url.searchParams);
      const name = method === 'operation' ? url.pathname : within;
      return { method, name, query };
    },
  };
}

const methodOf = (name: MethodName): Method => methods[name];

/** A name is made of parts that Azure's own rules allow. Any other would be another path. */
export function pathOf({ method, name, query }: AzureRequest): string {
  if (!/^[A-Za-z0-9._/-]*$/.test(name) || name.split('/').some((part) => part === '..' || part === '.'))
    throw new Error(`${JSON.stringify(name)} is no id of a thing of Azure`);
  const { path, version } = methodOf(method);
  const asked = new URLSearchParams({ ...(version !== undefined && { 'api-version': version }), ...query }).toString();
  return `${path.replace('{}', name)}${asked === '' ? '' : `?${asked}`}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string().default('') }) });

/** An answer that is no JSON of Azure's comes from something in its place, and is no missing thing. */
function refusalOf({ status, body }: Begun): Problem {
  if (status === 401)
    return new Refused(status, 'engine_unavailable', 'Azure does not accept the credential of the target.');
  const said = refusal.safeParse(body);
  if (!said.success)
    return new Problem('engine_unavailable', { detail: `Azure answers ${status} without a reason in its own form.` });
  const { code: reason, message } = said.data.error;
  const code = [400, 404, 409].includes(status) ? 'start_failed' : 'engine_unavailable';
  return new Refused(status, code, `Azure refuses it (${reason.slice(0, 100)}): ${message.slice(0, most_words)}`);
}

function unanswered(method: MethodName, error: unknown): Error {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = code ?? (error instanceof Error ? error.message : 'no answer');
  return new Problem('engine_unavailable', { detail: `${method} of Azure has no answer (${reason.slice(0, 200)}).` });
}
