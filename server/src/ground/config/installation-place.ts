// Where an installation has its settings and its data, by the environment. The client has the same rules (cli/src/config.ts).
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** GANTRY_HOME separates installations on one machine. */
export function installationHome({ GANTRY_HOME }: NodeJS.ProcessEnv): string | undefined {
  return GANTRY_HOME === undefined || GANTRY_HOME === '' ? undefined : resolve(GANTRY_HOME);
}

/** The file `server.env`. */
export function settingsFile(environment: NodeJS.ProcessEnv): string {
  const config_home = environment['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  return join(installationHome(environment) ?? join(config_home, 'gantry'), 'server.env');
}

// PostgreSQL refuses to run as root and runs as another OS user. That user cannot read /root, so root's data are in /var/lib.
export function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/gantry';
  return join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'gantry');
}
