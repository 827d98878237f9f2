// What proves the service to Google: the key of a service account, or the identity of the machine. A key file names addresses and programs, and none
// of them is followed.
import { request } from 'undici';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Outbound } from '../../../../ground/outbound/outbound.ts';
import { googleGrant, google_token_address } from '../../../../ground/google-assertion.ts';
import { askToken, keptToken, token_answer_ms, type Token } from '../access-token.ts';
import { jsonIn } from '../../../../ground/json-in.ts';

/** An access token, for an hour at most. */
export type AccessToken = (signal?: AbortSignal) => Promise<string>;

/** Only a machine of Google resolves it. */
const machine_address = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';

const keyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().regex(/^[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com$/),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.literal(google_token_address).optional(),
  universe_domain: z.literal('googleapis.com').optional(),
});
type KeyFile = z.output<typeof keyFile>;

/** Throws `engine_unavailable` for any other file. The message has nothing of it. */
export function readKey(text: string): KeyFile {
  const found = keyFile.safeParse(jsonIn(text));
  if (found.success) return found.data;
  const field = String(found.error.issues[0]?.path[0] ?? 'type');
  throw new Problem('engine_unavailable', {
    detail: `The credential of the target is no key of a service account of Google: \`${field}\` is not as such a key has it.`,
    hint: 'Make a JSON key of a service account. Keys that name other addresses or programs are not accepted.',
  });
}

export interface TokenParts {
  /** The JSON of a key. Undefined: the identity of the machine. */
  key: string | undefined;
  outbound: Pick<Outbound, 'request'>;
  /** For tests. */
  addresses?: { token: string; machine: string };
}

export function accessToken({ key, outbound, addresses }: TokenParts): AccessToken {
  const { token, machine } = addresses ?? { token: google_token_address, machine: machine_address };
  return keptToken(async () =>
    key === undefined ? await ofMachine(machine) : await ofKey(readKey(key), { token, outbound }),
  );
}

const form = z.object({ access_token: z.string().min(1).max(8192), expires_in: z.number().positive() });
const about = {
  vendor: 'Google',
  form,
  hint: 'A platform admin sets a key: svc target credential <name> --key key.json',
} as const;

async function ofKey(
  account: KeyFile,
  { token, outbound }: { token: string; outbound: Pick<Outbound, 'request'> },
): Promise<Token> {
  // Google's own address, wherever the question goes in a test.
  const body = await googleGrant(account, { address: google_token_address, lasts_seconds: 600 }).catch(() => {
    throw new Problem('engine_unavailable', { detail: 'The private key of the service account cannot be read.' });
  });
  return await askToken(
    async () =>
      await outbound.request(token, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
        signal: AbortSignal.timeout(token_answer_ms),
      }),
    { ...about, nobody: 'Google does not answer', refusal: 'Google does not accept the key of the service account' },
  );
}

async function ofMachine(address: string): Promise<Token> {
  return await askToken(
    async () =>
      await request(address, {
        headers: { 'metadata-flavor': 'Google' },
        signal: AbortSignal.timeout(token_answer_ms),
      }),
    {
      ...about,
      nobody: 'The target has no key of a service account, and this machine has no identity of Google',
      refusal: 'The machine of the service has no identity of Google',
    },
  );
}
