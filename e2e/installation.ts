// A separate installation for a test: fresh data and fresh users. `svc server start` starts its service, on a free port.
// Everything is typed through the real `svc`.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launcherText, writeLauncher } from '../setup/launcher.js';
import { undeclared_problem } from '../server/src/governance/http/listening/request-log.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { environment } from './config.ts';
import { engineOf } from './engine-of.ts';
import { putCluster } from './put-cluster.ts';

const clone = resolve(import.meta.dirname, '..');
const node = join(clone, 'node_modules/.bin/node');
const main = join(clone, 'cli/svc.js');

// Replaced containers end at once, and the image of langgraph is built once for all installations, unless a test is about them.
const quick = { WARM_SECONDS: '0', BUILD_SHARE: 'engine' };

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams, as at a terminal. */
  output: string;
}

export interface Typing {
  as?: string;
  in?: string;
  stdin?: string;
  env?: Record<string, string>;
  timeout_ms?: number;
}

export interface Installation {
  url: string;
  /** The folder of the test's projects. */
  directory: string;
  data_dir: string;
  /** The team of the test's projects. */
  team: string;
  admin_password: string;
  /** Runs a shell line with this installation's `svc`. */
  type(line: string, typing?: Typing): Promise<Ran>;
  /** Starts a shell line, for a test that types more input. */
  begin(line: string, typing?: Typing): Promise<ChildProcessWithoutNullStreams>;
  /** Like `type`, but throws with the whole output unless it exits with 0. */
  must(line: string, typing?: Typing): Promise<Ran>;
  /** Creates a user, gives them a password and signs them in. */
  person(name: string, role?: string): Promise<void>;
  /** A copy of an example in a folder of the installation, with some lines of agent.yaml replaced. */
  project(example: string, folder: string, replace?: Record<string, string>): Promise<string>;
  /** The token of one session for each user, because a sign-in costs a third of a second of processor time. */
  token(as?: string): Promise<string>;
  pid(): Promise<number>;
}

/** An installation that its test may stop. */
export interface OwnInstallation extends Installation {
  opened: Opened;
  stop(): Promise<void>;
}

/** An installation in plain values, so that another process of the tests can use it. */
export interface Opened {
  url: string;
  root: string;
  data_dir: string;
  admin_password: string;
  /** The environment of every shell line. */
  env: Record<string, string>;
}

/**
 * All its files are in a folder `within`. `seed` makes it in a moment, without an agent. `quickstart` makes it as in the README, separated
 * from others only by GANTRY_HOME.
 */
export async function install(
  env: Record<string, string> = {},
  { within = tmpdir(), by = 'seed' }: { within?: string; by?: 'seed' | 'quickstart' } = {},
): Promise<OwnInstallation> {
  const opened = await open(env, { within, by });
  const seen = await engineOf(opened);
  return {
    ...installationAt(opened),
    opened,
    stop: async () => {
      const { root, data_dir } = opened;
      await shellOf(opened).must('svc server stop');
      await removeLeftovers(seen.engine);
      await rm(seen.secrets_directory, { recursive: true, force: true });
      const log = await readFile(join(data_dir, 'server.log'), 'utf8');
      await rm(root, { recursive: true, force: true });
      const bugs = log.split('\n').filter((line) => line.includes(undeclared_problem));
      if (bugs.length > 0) throw new Error(bugs.join('\n'));
    },
  };
}

async function open(
  more: Record<string, string>,
  { within, by }: { within: string; by: 'seed' | 'quickstart' },
): Promise<Opened> {
  const root = await mkdtemp(join(within, 'gantry-e2e-'));
  // When the tests run as root, PostgreSQL's own user must be able to pass through.
  await chmod(root, 0o711);
  const data_dir = join(root, 'data');
  const url = `http://127.0.0.1:${await freePort()}`;
  const place: Record<string, string> =
    by === 'quickstart' ? { GANTRY_HOME: root } : { SERVICE_URL: url, DATA_DIR: data_dir, PORT: new URL(url).port };
  const opened = { url, root, data_dir, admin_password: '', env: { ...place, ...quick, ...more } };
  const { must } = shellOf(opened);
  const bin = join(root, 'bin');
  await mkdir(bin);
  await mkdir(join(root, 'people'), { recursive: true });
  const password_file = join(root, by === 'quickstart' ? '' : 'people/admin/.config/gantry', 'admin-password');
  if (by === 'quickstart') {
    await must('npm run quickstart', { in: clone, timeout_ms: 290_000 });
    const { stdout } = await must('svc server status --json');
    ({ url: opened.url } = JSON.parse(stdout) as { url: string });
  } else {
    await putCluster(data_dir);
    writeLauncher(join(bin, 'svc'), launcherText(node, main));
    await must(
      `${JSON.stringify(node)} ${JSON.stringify(join(clone, 'server/start.js'))} seed --password-file ${password_file}`,
    );
    await must('svc server start');
    await must('svc login --email admin@gantry.local --password "$(cat "$FILE")" --store file', {
      env: { FILE: password_file },
    });
  }
  return { ...opened, admin_password: (await readFile(password_file, 'utf8')).trim() };
}

/** Its projects are in the folder `directory`, and belong to `team`. */
export function installationAt(opened: Opened, { directory = opened.root, team = 'ml' } = {}): Installation {
  const { url, data_dir, admin_password } = opened;
  const { begin, type, must } = shellOf({ ...opened, directory });
  const tokens: Record<string, Promise<string>> = {};
  const signIn = async (as: string): Promise<string> => {
    const password = as === 'admin' ? admin_password : `password of ${as}`;
    const email = as === 'admin' ? 'admin@gantry.local' : `${as}@example.com`;
    const answered = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const { data } = (await answered.json()) as { data: { access_token: string } };
    return data.access_token;
  };

  return {
    url,
    directory,
    data_dir,
    team,
    admin_password,
    begin,
    type,
    must,
    person: async (name, role = 'viewer') => {
      const email = `${name}@example.com`;
      const { stdout } = await must(`svc user create ${email} --role ${role} --print-password --json`);
      const { one_time_password } = JSON.parse(stdout) as { one_time_password: string };
      await must(
        `svc login --email ${email} --password ${one_time_password} --new-password "password of ${name}" --store file`,
        { as: name },
      );
    },
    project: async (example, folder, replace = {}) => {
      const path = join(directory, folder);
      await cp(join(clone, 'examples', example), path, { recursive: true });
      const yaml = join(path, 'agent.yaml');
      let text = await readFile(yaml, 'utf8');
      for (const [field, value] of Object.entries(replace))
        text = text.replace(new RegExp(`^${field}:.*$`, 'm'), `${field}: ${value}`);
      await writeFile(yaml, text);
      return path;
    },
    token: async (as = 'admin') => await (tokens[as] ??= signIn(as)),
    pid: async () => (JSON.parse(await readFile(join(data_dir, 'server.pid'), 'utf8')) as { pid: number }).pid,
  };
}

function shellOf({
  root,
  env,
  directory = root,
}: Pick<Opened, 'root' | 'env'> & { directory?: string }): Pick<Installation, 'begin' | 'type' | 'must'> {
  const begin = async (line: string, typing: Typing = {}): Promise<ChildProcessWithoutNullStreams> => {
    const home = join(root, 'people', typing.as ?? 'admin');
    await mkdir(home, { recursive: true });
    const settings = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      PATH: `${join(root, 'bin')}:${environment().PATH}`,
      NO_COLOR: '1',
      TZ: 'UTC',
    };
    return spawn('/bin/sh', ['-c', line], {
      cwd: resolve(directory, typing.in ?? '.'),
      env: { ...environment(), ...settings, ...env, ...typing.env },
      timeout: typing.timeout_ms ?? 170_000,
    });
  };
  const type = async (line: string, typing: Typing = {}): Promise<Ran> =>
    await ending(await begin(line, typing), typing.stdin);
  return {
    begin,
    type,
    must: async (line, typing = {}) => {
      const ran = await type(line, typing);
      if (ran.code !== 0) throw new Error(`${line}\nexited with ${ran.code}:\n${ran.output}`);
      return ran;
    },
  };
}

async function ending(child: ChildProcessWithoutNullStreams, stdin = ''): Promise<Ran> {
  const read = { stdout: '', stderr: '', output: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      read[name] += chunk.toString();
      read.output += chunk.toString();
    });
  }
  child.stdin.on('error', () => {}); // a command that reads no input closes it early
  child.stdin.end(stdin);
  const code = await new Promise<number>((done, fail) => {
    child.on('error', fail);
    child.on('close', (exited, signal) => done(exited ?? (signal === null ? 1 : 128)));
  });
  return { code, ...read };
}
