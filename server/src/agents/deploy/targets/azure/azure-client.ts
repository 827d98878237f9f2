// Calls of Azure's APIs as plain JSON. A client of Azure would leave out a misspelt field without a word; the tests compare each request with what
// Azure's client makes of it. A token goes to the two hosts of `hosts` alone: an answer may name another host, and it is never followed.
import { z } from 'zod';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { callVendor, unanswered, type VendorAnswer } from '../vendor-call.ts';
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
const most_words = 1000;

export function azureClient({ token, outbound, hosts = own_hosts, onRequest }: AzureParts): Azure {
  const send = async (request: AzureRequest, signal?: AbortSignal): Promise<Begun> => {
    const { method, body } = request;
    const { verb, api } = methodOf(method);
    const answer = await callVendor(
      outbound,
      {
        what: whatIs(method),
        address: () => `${hosts[api]}${pathOf(request)}`,
        verb,
        token: async (ending) => await token(api, ending),
        body,
        onSend: () => onRequest?.(request),
      },
      signal,
    );
    if (answer.status < 200 || answer.status > 204) throw refusalOf(answer);
    const next = answer.headers['azure-asyncoperation'] ?? answer.headers['location'];
    return { status: answer.status, body: answer.body, ...(typeof next === 'string' && { next }) };
  };

  return {
    async call(request, form, signal) {
      const found = form.safeParse((await send(request, signal)).body);
      if (!found.success) throw unanswered(whatIs(request.method), new Error('an answer of another form'));
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
const whatIs = (method: MethodName) => `${method} of Azure`;

/** A name is made of parts that Azure's own rules allow. Any other would be another path. */
export function pathOf({ method, name, query }: AzureRequest): string {
  if (!/^[A-Za-z0-9._/-]*$/.test(name) || name.split('/').some((part) => part === '..' || part === '.'))
    throw new Error(`${JSON.stringify(name)} is no id of a thing of Azure`);
  const { path, version } = methodOf(method);
  const asked = new URLSearchParams({ ...(version !== undefined && { 'api-version': version }), ...query }).toString();
  return `${path.replace('{}', name)}${asked === '' ? '' : `?${asked}`}`;
}

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string().default('') }) });

/** An answer that is no JSON of Azure's comes from something in its place, and is no missing thing. */
function refusalOf({ status, body }: VendorAnswer): Problem {
  if (status === 401)
    return new Refused(status, 'engine_unavailable', 'Azure does not accept the credential of the target.');
  const said = refusal.safeParse(body);
  if (!said.success)
    return new Problem('engine_unavailable', { detail: `Azure answers ${status} without a reason in its own form.` });
  const { code: reason, message } = said.data.error;
  const code = [400, 404, 409].includes(status) ? 'start_failed' : 'engine_unavailable';
  return new Refused(status, code, `Azure refuses it (${reason.slice(0, 100)}): ${message.slice(0, most_words)}`);
}
