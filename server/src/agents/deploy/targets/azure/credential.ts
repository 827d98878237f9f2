// What proves the service to Azure: the secret of an application, or the identity of the machine. The file of a credential may name addresses, and a
// file with one is not accepted.
import { request } from 'undici';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { askToken, keptToken, token_answer_ms, type Token } from '../access-token.ts';
import { jsonIn } from '../../../../ground/json-in.ts';

/** Each has tokens of its own. */
export type Api = 'arm' | 'logs';
/** An access token, for some hours at most. */
export type AccessToken = (api: Api, signal?: AbortSignal) => Promise<string>;

const login_address = 'https://login.microsoftonline.com';
/** Only a machine of Azure answers there. */
const machine_address = 'http://169.254.169.254/metadata/identity/oauth2/token';
const resources = { arm: 'https://management.azure.com', logs: 'https://api.loganalytics.azure.com' } as const;

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
  const found = keyFile.safeParse(jsonIn(text));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0];
  throw new Problem('engine_unavailable', {
    detail: `The credential of the target is no secret of an application in Azure: \`${String(field ?? 'tenant').slice(0, 50)}\` is not as such a file has it.`,
    hint: 'Make one: az ad sp create-for-rbac. Files that name addresses, certificates or programs are not accepted.',
  });
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
  const tokenOf = (api: Api) =>
    keptToken(async () =>
      key === undefined ? await ofMachine(machine, api) : await ofKey(readKey(key), api, { login, outbound }),
    );
  const tokens = { arm: tokenOf('arm'), logs: tokenOf('logs') };
  return async (api) => await tokens[api]();
}

const form = z.object({
  access_token: z.string().min(1).max(8192),
  // The machine answers it as a text.
  expires_in: z.coerce.number().positive(),
});
const about = {
  vendor: 'Azure',
  form,
  hint: 'A platform admin sets a credential: svc target credential <name> --key key.json',
} as const;

async function ofKey(
  { tenant, appId, password }: KeyFile,
  api: Api,
  { login, outbound }: { login: string; outbound: Pick<Outbound, 'request'> },
): Promise<Token> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: appId,
    client_secret: password,
    scope: `${resources[api]}/.default`,
  });
  return await askToken(
    async () =>
      await outbound.request(`${login}/${tenant}/oauth2/v2.0/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: body.toString(),
        signal: AbortSignal.timeout(token_answer_ms),
      }),
    { ...about, nobody: 'Azure does not answer', refusal: 'Azure does not accept the secret of the application' },
  );
}

async function ofMachine(address: string, api: Api): Promise<Token> {
  const query = new URLSearchParams({ 'api-version': '2018-02-01', resource: resources[api] });
  return await askToken(
    async () =>
      await request(`${address}?${query.toString()}`, {
        headers: { metadata: 'true' },
        signal: AbortSignal.timeout(token_answer_ms),
      }),
    {
      ...about,
      nobody: 'The target has no secret of an application, and this machine has no identity of Azure',
      refusal: 'The machine of the service has no identity of Azure',
    },
  );
}
