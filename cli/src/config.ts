// The client's environment, read once.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { defaultPort } from '@gantry/contract/client/default-port.ts';

/** Set only by the scripts of completion/: svc then prints candidates for the last word. Its value is the service's seconds to answer. */
export const completing = 'SVC_COMPLETE';

export interface Config {
  server_url: string | undefined;
  api_token: string | undefined;
  /** A service principal's key. */
  api_key: string | undefined;
  /** A person's sessions and active teams; 0700. */
  config_directory: string;
  /** The first admin's password, and server.env; 0700. */
  settings_directory: string;
  /** The data directory of a server on this machine. */
  data_directory: string;
  /** The port of a server on this machine. */
  port: number;
  no_color: boolean;
  /** Set when a shell asks for completions: the time that the service has. */
  completion_seconds: number | undefined;
  /** Passed on to a server that the client starts. */
  environment: NodeJS.ProcessEnv;
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const home = environment['HOME'] ?? homedir();
  const config_home = filled(environment['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  const config_directory = path.join(config_home, 'gantry');
  const installation = installationHome(environment);
  const settings_directory = installation ?? config_directory;
  const setting = (name: string): string | undefined =>
    filled(environment[name]) ?? serverSetting(settings_directory, name);
  return {
    server_url: filled(environment['SERVICE_URL']),
    api_token: filled(environment['SERVICE_API_TOKEN']),
    api_key: filled(environment['SERVICE_API_KEY']),
    config_directory,
    settings_directory,
    data_directory:
      setting('DATA_DIR') ??
      (installation === undefined ? defaultDataDirectory(environment, home) : path.join(installation, 'data')),
    port: readPort(setting('PORT')) ?? defaultPort(installation),
    // https://no-color.org: any value that is not empty.
    no_color: filled(environment['NO_COLOR']) !== undefined || environment['TERM'] === 'dumb',
    completion_seconds: Number(filled(environment[completing])) || undefined,
    environment,
  };
}

/** Undefined for a text that is not a port; the server itself refuses it. */
function readPort(text: string | undefined): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** The folder of an installation apart from others on this machine. The server has the same rule. */
function installationHome(environment: NodeJS.ProcessEnv): string | undefined {
  const given = filled(environment['GANTRY_HOME']);
  return given === undefined ? undefined : path.resolve(given);
}

/** The server reads its settings from this file, under its own environment; the client needs its data directory too. */
function serverSetting(settings_directory: string, name: string): string | undefined {
  const file = path.join(settings_directory, 'server.env');
  return existsSync(file) ? filled(parseEnv(readFileSync(file, 'utf8'))[name]) : undefined;
}

/** The server's own rule: PostgreSQL does not run as root, and its own user cannot read /root. */
function defaultDataDirectory(environment: NodeJS.ProcessEnv, home: string): string {
  if (process.getuid?.() === 0) return '/var/lib/gantry';
  return path.join(filled(environment['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'), 'gantry');
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
