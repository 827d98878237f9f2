// What proves the service to Azure: the secret of an application, or the identity of the machine. The file of a credential may name addresses, and a
// file with one is not accepted.
import { request } from 'undici';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';

/** Each has tokens of its own. */
export type Api = 'arm' | 'logs';
/** An access token, for some hours at most. */
export type AccessToken = (api: Api, signal?: AbortSignal) => Promise<string>;

const login_address = 'https://login.microsoftonline.com';
/** Only a machine of Azure answers there. */
const machine_address = 'http://169.254.169.254/metadata/identity/oauth2/token';
const resources = { arm: 'https://management.azure.com', logs: 'https://api.loganalytics.azure.com' } as const;
const answer_ms = 10_000;
const most_bytes = 64_000;
/** A token that ends sooner is replaced. */
const early_ms = 300_000;

const guid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

/** As `az ad sp create-for-rbac` prints it. */
const keyFile = z.strictObject({
  tenant: guid,
  appId: guid,
  password: z.string().min(1).max(1000),
  displayName: z.string().optional(),
});
type KeyFile = z.output<typeof keyFile>;

/** Throws `engine_unavailable` for any other file. The message has nothing of its values. */
export function readKey(text: string): KeyFile {
  const found = keyFile.safeParse(parsed(text));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0];
  throw new Problem('engine_unavailable', {
    detail: `The credential of the target is no secret of an application in Azure: \`${String(field ?? 'tenant').slice(0, 50)}\` is not as such a file has it.`,
    hint: 'Make one: az ad sp create-for-rbac. Files that name addresses, certificates or programs are not accepted.',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface TokenParts {
  /** The JSON of the credential. Undefined: the identity of the machine. */
  key: string | undefined;
  outbound: Pick<Outbound, 'request'>;
  /** For tests. */
  addresses?: { login: string; machine: string };
}

export function accessToken({ key, outbound, addresses }: TokenParts): AccessToken {
  const { login, machine } = addresses ?? { login: login_address, machine: machine_address };
  const fresh = async (api: Api) =>
    key === undefined ? await ofMachine(machine, api) : await ofKey(readKey(key), api, { login, outbound });
  const known = new Map<Api, { text: string; until: number }>();
  const asking = new Map<Api, Promise<string>>();
  const ask = async (api: Api) => {
    const { access_token, expires_in } = await fresh(api);
    known.set(api, { text: access_token, until: performance.now() + expires_in * 1000 - early_ms });
    return access_token;
  };
  return async (api) => {
    const kept = known.get(api);
    if (kept !== undefined && performance.now() < kept.until) return kept.text;
    const now = asking.get(api) ?? ask(api).finally(() => asking.delete(api));
    asking.set(api, now);
    return await now;
  };
}

const answered = z.object({
  access_token: z.string().min(1).max(8192),
  // The machine answers it as a text.
  expires_in: z.coerce.number().positive(),
});
type Answered = z.output<typeof answered>;

async function ofKey(
  { tenant, appId, password }: KeyFile,
  api: Api,
  { login, outbound }: { login: string; outbound: Pick<Outbound, 'request'> },
): Promise<Answered> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: appId,
    client_secret: password,
    scope: `${resources[api]}/.default`,
  });
  return await asked(
    async () =>
      await outbound.request(`${login}/${tenant}/oauth2/v2.0/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: body.toString(),
        signal: AbortSignal.timeout(answer_ms),
      }),
    { nobody: 'Azure does not answer', refusal: 'Azure does not accept the secret of the application' },
  );
}

async function ofMachine(address: string, api: Api): Promise<Answered> {
  const query = new URLSearchParams({ 'api-version': '2018-02-01', resource: resources[api] });
  return await asked(
    async () =>
      await request(`${address}?${query.toString()}`, {
        headers: { metadata: 'true' },
        signal: AbortSignal.timeout(answer_ms),
      }),
    {
      nobody: 'The target has no secret of an application, and this machine has no identity of Azure',
      refusal: 'The machine of the service has no identity of Azure',
    },
  );
}

/** No message has anything of the answer. */
async function asked(
  ask: () => ReturnType<Outbound['request']>,
  say: { nobody: string; refusal: string },
): Promise<Answered> {
  const hint = 'A platform admin sets a credential: svc target credential <name> --key key.json';
  const answer = await ask().catch(() => {
    throw new Problem('engine_unavailable', { detail: `${say.nobody}.`, hint });
  });
  const tooLong = () => new Problem('engine_unavailable', { detail: 'The answer with the token is too long.' });
  const text = (await readAtMost(answer.body, most_bytes, tooLong)).toString();
  if (answer.statusCode !== 200)
    throw new Problem('engine_unavailable', { detail: `${say.refusal} (${answer.statusCode}).`, hint });
  const found = answered.safeParse(parsed(text));
  if (!found.success)
    throw new Problem('engine_unavailable', { detail: 'The answer with the token has another form than Azure’s.' });
  return found.data;
}
