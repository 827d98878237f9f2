import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import type { mcpServer } from '@gantry/project/asset-config/mcp-server.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';

export type ServerConfig = z.output<typeof mcpServer>;

const read = new WeakMap<Record<string, unknown>, ServerConfig>();

/** Throws `not_callable` for a config that was stored under looser rules. */
export function readServer(stored: Record<string, unknown>): ServerConfig {
  const known = read.get(stored) ?? parse(stored);
  read.set(stored, known);
  return known;
}

function parse(stored: Record<string, unknown>): ServerConfig {
  const { config, findings } = parseAssetConfig('mcp-server', JSON.stringify(stored), 'config');
  if (config !== undefined) return config;
  throw new Problem('not_callable', { detail: findings.map(({ message }) => message).join('. ') });
}
