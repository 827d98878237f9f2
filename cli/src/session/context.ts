// The active team per server origin, sent as X-Service-Team. It selects a team, but never grants a permission.
import path from 'node:path';
import type { Config } from '../config.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

export function activeTeam(config: Config, origin: string): string | undefined {
  return readContext(config)[origin];
}

/** Undefined clears it: the service then uses the primary team. */
export function setActiveTeam(config: Config, origin: string, team: string | undefined): void {
  const { [origin]: _before, ...others } = readContext(config);
  writePrivateFile(contextFile(config), JSON.stringify(team === undefined ? others : { ...others, [origin]: team }));
}

function readContext(config: Config): Record<string, string> {
  return JSON.parse(readPrivateFile(contextFile(config)) ?? '{}') as Record<string, string>; // written above
}

function contextFile(config: Config): string {
  return path.join(config.config_directory, 'context.json');
}
