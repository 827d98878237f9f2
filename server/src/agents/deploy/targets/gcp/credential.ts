// What proves the service to Google: the key of a service account, or the identity of the machine. A key file names addresses and programs, and none
// of them is followed.
import { importPKCS8, SignJWT } from 'jose';
import { request } from 'undici';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';

/** An access token, for an hour at most. */
export type AccessToken = (signal?: AbortSignal) => Promise<string>;

export const token_address = 'https://oauth2.googleapis.com/token';
/** Only a machine of Google resolves it. */
const machine_address = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const answer_ms = 10_000;
const most_bytes = 64_000;
/** A token that ends sooner is replaced. */
const early_ms = 300_000;

const keyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().regex(/^[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com$/),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.literal(token_address).optional(),
  universe_domain: z.literal('googleapis.com').optional(),
});
type KeyFile = z.output<typeof keyFile>;

/** Throws `engine_unavailable` for any other file. The message has nothing of it. */
export function readKey(text: string): KeyFile {
  const found = keyFile.safeParse(parsed(text));
  if (found.success) return found.data;
  const field = String(found.error.issues[0]?.path[0] ?? 'type');
  throw new Problem('engine_unavailable', {
    detail: `The credential of the target is no key of a service account of Google: \`${field}\` is not as such a key has it.`,
    hint: 'Make a JSON key of a service account. Keys that name other addresses or programs are not accepted.',
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
  /** The JSON of a key. Undefined: the identity of the machine. */
  key: string | undefined;
  outbound: Pick<Outbound, 'request'>;
  /** For tests. */
  addresses?: { token: string; machine: string };
}

export function accessToken({ key, outbound, addresses }: TokenParts): AccessToken {
  const { token, machine } = addresses ?? { token: token_address, machine: machine_address };
  const fresh = async () =>
    key === undefined ? await ofMachine(machine) : await ofKey(readKey(key), { token, outbound });
  let known: { text: string; until: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async () => {
    const { access_token, expires_in } = await fresh();
    known = { text: access_token, until: performance.now() + expires_in * 1000 - early_ms };
    return access_token;
  };
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known.text;
    asking ??= ask().finally(() => (asking = undefined));
    return await asking;
  };
}

const answered = z.object({ access_token: z.string().min(1).max(8192), expires_in: z.number().positive() });
type Answered = z.output<typeof answered>;

async function ofKey(
  { client_email, private_key, private_key_id }: KeyFile,
  { token, outbound }: { token: string; outbound: Pick<Outbound, 'request'> },
): Promise<Answered> {
  const signing = await importPKCS8(private_key, 'RS256').catch(() => {
    throw new Problem('engine_unavailable', { detail: 'The private key of the service account cannot be read.' });
  });
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id !== undefined && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setAudience(token_address)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(signing);
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  return await asked(
    async () =>
      await outbound.request(token, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: body.toString(),
        signal: AbortSignal.timeout(answer_ms),
      }),
    { nobody: 'Google does not answer', refusal: 'Google does not accept the key of the service account' },
  );
}

async function ofMachine(address: string): Promise<Answered> {
  return await asked(
    async () =>
      await request(address, { headers: { 'metadata-flavor': 'Google' }, signal: AbortSignal.timeout(answer_ms) }),
    {
      nobody: 'The target has no key of a service account, and this machine has no identity of Google',
      refusal: 'The machine of the service has no identity of Google',
    },
  );
}

/** No message has anything of the answer. */
async function asked(
  ask: () => ReturnType<Outbound['request']>,
  say: { nobody: string; refusal: string },
): Promise<Answered> {
  const hint = 'A platform admin sets a key: svc target credential <name> --key key.json';
  const answer = await ask().catch(() => {
    throw new Problem('engine_unavailable', { detail: `${say.nobody}.`, hint });
  });
  const tooLong = () => new Problem('engine_unavailable', { detail: 'The answer with the token is too long.' });
  const text = (await readAtMost(answer.body, most_bytes, tooLong)).toString();
  if (answer.statusCode !== 200)
    throw new Problem('engine_unavailable', { detail: `${say.refusal} (${answer.statusCode}).`, hint });
  const found = answered.safeParse(parsed(text));
  if (!found.success)
    throw new Problem('engine_unavailable', { detail: 'The answer with the token has another form than Google’s.' });
  return found.data;
}
