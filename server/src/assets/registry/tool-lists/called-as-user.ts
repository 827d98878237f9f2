import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Pin } from '../content.ts';
import * as contents from '../content-store.ts';

/** The pinned MCP servers that are called with the credential of the end caller, as mcp-servers/<name>. */
export async function calledAsUser(db: Reader, pins: readonly Pin[]): Promise<string[]> {
  const servers = pins.filter(({ ref }) => parseAnyRef(ref)?.kind === 'mcp-server');
  const configs = await Promise.all(servers.map(async ({ digest }) => await contents.config(db, digest)));
  return servers.flatMap(({ ref }, at) => (configs[at]?.['as'] === 'user' ? [ref] : []));
}
