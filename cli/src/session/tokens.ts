// The store of a session's token, per server origin. SERVICE_API_TOKEN overrides all others, and SERVICE_API_KEY overrides a stored token.
import path from 'node:path';
import type { Config } from '../config.ts';
import { openKeychain, type TokenStore } from './keychain.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts';

export const stores = ['keychain', 'file'] as const;
export type StoreName = (typeof stores)[number];

export interface FoundToken {
  token: string;
  from: 'SERVICE_API_TOKEN' | 'SERVICE_API_KEY' | StoreName;
  /** When to exchange it again; never when absent. */
  good_until?: number;
}

/** Exchanges a service principal's key for a token. */
export type Exchange = (key: string) => Promise<{ access_token: string; expires_at: string }>;

// Enough time for its request, with a clock that is slightly off.
const spare_ms = 60_000;

export async function findToken(config: Config, origin: string, exchange: Exchange): Promise<FoundToken | undefined> {
  if (config.api_token !== undefined) return { token: config.api_token, from: 'SERVICE_API_TOKEN' };
  if (config.api_key !== undefined) {
    const { access_token: token, expires_at } = await exchange(config.api_key);
    return { token, from: 'SERVICE_API_KEY', good_until: Date.parse(expires_at) - spare_ms };
  }
  const filed = tokenFile(config).read(origin);
  if (filed !== undefined) return { token: filed, from: 'file' };
  const keychain = await openKeychain();
  const kept = keychain.available ? keychain.read(origin) : undefined;
  return kept === undefined ? undefined : { token: kept, from: 'keychain' };
}

/** Stores the token in one place only, so that `svc logout` deletes every token. */
export async function storeToken(config: Config, origin: string, token: string, store: StoreName): Promise<void> {
  await forgetToken(config, origin);
  if (store === 'file') tokenFile(config).write(origin, token);
  else (await openKeychain()).write(origin, token);
}

/** True when a token was stored. */
export async function forgetToken(config: Config, origin: string): Promise<boolean> {
  const filed = tokenFile(config).remove(origin);
  const keychain = await openKeychain();
  const kept = keychain.available && keychain.read(origin) !== undefined && keychain.remove(origin);
  return filed || kept;
}

/** `sessions.json`, 0600: only used after `--store file`. */
function tokenFile(config: Config): TokenStore {
  const file = path.join(config.config_directory, 'sessions.json');
  const read = (): Record<string, string> => JSON.parse(readPrivateFile(file) ?? '{}') as Record<string, string>; // written below
  return {
    read: (origin) => read()[origin],
    write: (origin, token) => writePrivateFile(file, JSON.stringify({ ...read(), [origin]: token })),
    remove(origin) {
      const { [origin]: removed, ...others } = read();
      if (removed === undefined) return false;
      if (Object.keys(others).length === 0) removePrivateFile(file);
      else writePrivateFile(file, JSON.stringify(others));
      return true;
    },
  };
}
