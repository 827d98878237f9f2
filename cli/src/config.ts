// Everything the client takes from its environment, read once.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';

export interface Config {
  server_url: string | undefined;
  api_token: string | undefined;
  /** A service principal's key. */
  api_key: string | undefined;
  /** Sessions, the active team and the first admin's password; 0700. */
  config_directory: string;
  /** Where a server of this machine keeps its data. */
  data_directory: string;
  no_color: boolean;
  /** Handed on to a server that the client starts. */
  environment: NodeJS.ProcessEnv;
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const home = environment['HOME'] ?? homedir();
  const config_home = filled(environment['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  const config_directory = path.join(config_home, 'gantry');
  return {
    server_url: filled(environment['SERVICE_URL']),
    api_token: filled(environment['SERVICE_API_TOKEN']),
    api_key: filled(environment['SERVICE_API_KEY']),
    config_directory,
    data_directory:
      filled(environment['DATA_DIR']) ??
      serverSetting(config_directory, 'DATA_DIR') ??
      defaultDataDirectory(environment, home),
    // https://no-color.org: any value that is not empty.
    no_color: filled(environment['NO_COLOR']) !== undefined || environment['TERM'] === 'dumb',
    environment,
  };
}

/** The server reads its settings from this file, under its own environment; where its data is must be known here too. */
function serverSetting(config_directory: string, name: string): string | undefined {
  const file = path.join(config_directory, 'server.env');
  return existsSync(file) ? filled(parseEnv(readFileSync(file, 'utf8'))[name]) : undefined;
}

/** The server's own rule: PostgreSQL does not run as root, and the user it gets instead cannot look into /root. */
function defaultDataDirectory(environment: NodeJS.ProcessEnv, home: string): string {
  if (process.getuid?.() === 0) return '/var/lib/gantry';
  return path.join(filled(environment['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'), 'gantry');
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
