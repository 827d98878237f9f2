import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';

// The service's own entries in its data directory; all others belong to somebody else.
const own = ['postgresql', 'secret-key', 'audit', 'agents', 'arriving', 'server.log', 'server.pid'];

/** Includes the first admin's password, which no longer works. The settings in server.env stay. */
export function removeData({ data_directory, settings_directory }: Config): void {
  for (const name of own) rmSync(path.join(data_directory, name), { recursive: true, force: true });
  if (existsSync(data_directory) && readdirSync(data_directory).length === 0) rmdirSync(data_directory);
  rmSync(path.join(settings_directory, 'admin-password'), { force: true });
}
