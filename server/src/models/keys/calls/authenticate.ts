// A request's gateway key → the facts about it that never change. Whether it still works is read in the admission of each call.
import { createSecretKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller, Origin } from '../../../governance/access/caller.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import type { Sender } from '../../../governance/http/request/session-cookie.ts';
import { gatewayKeys, keyDigest } from '../../../ground/config/key-form.ts';
import { accountsOf } from '../accounts/accounts.ts';
import type { KeyParts } from '../parts.ts';
import * as store from '../store.ts';

const max_known = 50_000;

type Authenticate = (text: string | undefined, origin: Origin) => Promise<KeyCaller>;

/** The headers that carry a key: OpenAI's clients send a bearer token, Anthropic's `x-api-key`, Gemini's `x-goog-api-key`. */
export function keyWays(authenticate: Authenticate) {
  const inHeader = (name: string) => ({
    isUsed: ({ headers }: Sender) => headers.has(name),
    authenticate: async ({ headers, origin }: Sender) => await authenticate(headers.get(name) ?? undefined, origin),
  });
  return {
    key: {
      isUsed: ({ headers }: Sender) => headers.has('authorization'),
      authenticate: async ({ headers, origin }: Sender) => await authenticate(bearerOf(headers), origin),
    },
    x_api_key: inHeader('x-api-key'),
    x_goog_api_key: inHeader('x-goog-api-key'),
  };
}

export function keyAuthenticator({ db, pepper }: Pick<KeyParts, 'db' | 'pepper'>): Authenticate {
  const known = new LRUCache<string, Omit<KeyCaller, 'origin'>>({ max: max_known });
  const digest_key = createSecretKey(pepper);
  /** Throws `invalid_api_key` for text that is no key, and for an unknown key. */
  return async (text: string | undefined, origin: Origin): Promise<KeyCaller> => {
    // A mistyped key needs no query.
    if (text === undefined || !gatewayKeys.isKey(text)) throw new Problem('invalid_api_key');
    const digest = keyDigest(digest_key, text);
    const name = digest.toString('base64');
    const found = known.get(name) ?? (await find(digest));
    if (found === undefined) throw new Problem('invalid_api_key');
    known.set(name, found);
    return { ...found, origin };
  };

  async function find(digest: Buffer): Promise<Omit<KeyCaller, 'origin'> | undefined> {
    const key = await store.keyByDigest(db, digest);
    if (key === undefined) return undefined;
    const { prefix, ...rest } = key;
    return { kind: 'key', label: `key:${prefix}`, ...rest, accounts: await accountsOf(db, key) };
  }
}
