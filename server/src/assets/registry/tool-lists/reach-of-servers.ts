// What the pinned MCP servers of an agent add to its reach, from their configs.
import { z } from 'zod';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Pin } from '../content.ts';
import * as contents from '../content-store.ts';

export interface ReachOfServers {
  /** mcp-servers/<name>, which is called with the credential of the end caller. */
  as_user: string[];
  /** Programs that the service runs, beside the agent. */
  hosted: HostedReach[];
}

export interface HostedReach {
  /** mcp-servers/<name> */
  server: string;
  /** pypi:<name>==<version> or npm:<name>@<version> */
  package: string;
  egress: readonly string[];
  secrets: readonly string[];
}

export async function reachOfServers(db: Reader, pins: readonly Pin[]): Promise<ReachOfServers> {
  const servers = pins.filter(({ ref }) => parseAnyRef(ref)?.kind === 'mcp-server');
  const read = await Promise.all(
    servers.map(async ({ ref, digest }) => ({ ref, config: await contents.config(db, digest) })),
  );
  return {
    as_user: read.flatMap(({ ref, config }) => (config['as'] === 'user' ? [ref] : [])),
    hosted: read.flatMap(({ ref: server, config }) => {
      const { success, data } = hostedConfig.safeParse(config);
      return success ? [{ server, ...data }] : [];
    }),
  };
}

/** Of the config, which was checked when it was stored. */
const hostedConfig = z.object({
  package: z.string(),
  egress: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
});
