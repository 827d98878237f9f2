// The server program. `serve` runs its roles in the foreground until SIGTERM or SIGINT. The other commands do one thing and end. Each command
// loads its own modules: all of them take a second of processor time, and `settings` or `seed` needs a tenth.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ConfigFault, processEnvironment, readConfig, settingsOfEnvironment } from './ground/config/config.ts';
import type { ProofParts } from './governance/proof/parts.ts';
import { printFailure } from './print-failure.ts';
import { changeSetting, listSettings } from './ground/config/settings-file.ts';

const usage = `Usage:
  node server/start.js serve [--role api,worker,ingress,gateway]
  node server/start.js migrate
  node server/start.js seed --password-file <path>
  node server/start.js reset-admin
  node server/start.js settings
  node server/start.js list-settings
  node server/start.js set <NAME> (its value on stdin)
  node server/start.js uninstall
  node server/start.js prune --before <time> --reason <text>
  node server/start.js reseal --reason <text>`;

async function main(): Promise<void> {
  process.umask(0o077);
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      role: { type: 'string' },
      'password-file': { type: 'string' },
      before: { type: 'string' },
      reason: { type: 'string' },
    },
  });
  switch (positionals[0]) {
    case 'serve':
      return await serveUntilStopped(values.role);
    case 'migrate':
      return await migrateDatabase();
    case 'seed':
      return await seedWithRandomPassword(values['password-file']);
    case 'reset-admin':
      return await printNewAdminPassword();
    case 'settings':
      process.stdout.write(`${JSON.stringify(settingsOfEnvironment())}\n`);
      return;
    case 'list-settings':
      process.stdout.write(`${JSON.stringify(listSettings(processEnvironment()))}\n`);
      return;
    case 'set': {
      // Not an argument: the machine's other users can list those.
      const changed = changeSetting(positionals[1] ?? '', await text(process.stdin), processEnvironment());
      process.stdout.write(`${JSON.stringify(changed)}\n`);
      return;
    }
    case 'uninstall':
      return await removeInstallation();
    case 'prune':
      return await pruneLog(values.before, values.reason);
    case 'reseal':
      return await resealLog(values.reason);
    default:
      throw new ConfigFault(usage);
  }
}

async function serveUntilStopped(role: string | undefined): Promise<void> {
  const { startApp } = await import('./app.ts');
  const { StoppedWaiting } = await import('./await-schema.ts');
  const { collectGarbage } = await import('./ground/collect-garbage.ts');
  const { openLog } = await import('./ground/log.ts');
  const config = readConfig(undefined, { role });
  const log = openLog(config.log_level);
  // A signal that arrives while the parts start stops them as soon as they have.
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  const app = await startApp(config, log, { stopping: stopping.signal }).catch((error: unknown) => {
    // Nothing is open while the service waits for its schema.
    if (error instanceof StoppedWaiting) return undefined;
    throw error;
  });
  if (app === undefined) return;
  collectGarbage();
  process.on(
    'SIGHUP',
    () =>
      void app
        .readSettings()
        .catch((error: unknown) => log.error({ err: error }, 'the organisation settings were not applied')),
  );
  try {
    await Promise.race([stopped, app.failed]);
  } finally {
    await app.stop();
  }
}

async function migrateDatabase(): Promise<void> {
  const { migrateOnce } = await import('./foundation.ts');
  process.stdout.write(`${JSON.stringify({ migrations: await migrateOnce(readConfig()) })}\n`);
}

// The file is written before the row. A crash between them leaves a file, and the next run replaces it.
async function seedWithRandomPassword(file: string | undefined): Promise<void> {
  if (file === undefined) throw new ConfigFault(usage);
  const { openFoundation } = await import('./foundation.ts');
  const { issuesUserKeys } = await import('./models/keys/holders/member-keys.ts');
  const { seed, seed_email } = await import('./people/principals/seed.ts');
  const foundation = await openFoundation(readConfig());
  try {
    const { password, hash } = await foundation.passwords.oneTime();
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const seeded = await seed(foundation.db, {
      password_hash: hash,
      must_change: false,
      issueKey: issuesUserKeys({ pepper: foundation.keys['key-pepper'], envelope: foundation.envelope }),
      before: async () => await writeFile(file, `${password}\n`, { mode: 0o600 }),
    });
    process.stdout.write(`${JSON.stringify({ seeded, admin_email: seed_email, password_file: file })}\n`);
  } finally {
    await foundation.close();
  }
}

async function printNewAdminPassword(): Promise<void> {
  const { openFoundation } = await import('./foundation.ts');
  const { resetAdmin } = await import('./people/login/reset-admin.ts');
  const { seed_email } = await import('./people/principals/seed.ts');
  const config = readConfig();
  // Beside a service that runs: with a database elsewhere, nothing of it is in the data directory.
  const elsewhere = config.database_url === undefined ? undefined : await mkdtemp(join(tmpdir(), 'gantry-'));
  const foundation = await openFoundation({ ...config, data_dir: elsewhere ?? config.data_dir });
  try {
    const { password, hash } = await foundation.passwords.oneTime();
    await resetAdmin(foundation.db, hash);
    process.stdout.write(`${JSON.stringify({ admin_email: seed_email, one_time_password: password })}\n`);
  } finally {
    await foundation.close();
    if (elsewhere !== undefined) await rm(elsewhere, { recursive: true });
  }
}

async function removeInstallation(): Promise<void> {
  const { uninstall } = await import('./uninstall.ts');
  const tell = (progress: string): void => void process.stderr.write(`${progress}\n`);
  process.stdout.write(`${JSON.stringify(await uninstall(readConfig(), tell))}\n`);
}

async function pruneLog(before: string | undefined, reason: string | undefined): Promise<void> {
  const time = new Date(before ?? '');
  if (Number.isNaN(time.getTime()) || reason === undefined) throw new ConfigFault(usage);
  const { prune } = await import('./governance/proof/prune.ts');
  await withLog(async (proof) => await prune(proof, { before: time, reason, by: userInfo().username }));
}

async function resealLog(reason: string | undefined): Promise<void> {
  if (reason === undefined) throw new ConfigFault(usage);
  const { reseal } = await import('./governance/proof/sealing/reseal.ts');
  await withLog(async (proof) => await reseal(proof, { reason, by: userInfo().username }));
}

async function withLog(work: (proof: ProofParts) => Promise<object>): Promise<void> {
  const { openAsOwner } = await import('./foundation.ts');
  const { openProof } = await import('./governance/proof/open.ts');
  const { installationId } = await import('./people/principals/find.ts');
  const config = readConfig();
  const owned = await openAsOwner(config);
  try {
    const done = await work(await openProof(config, owned.db, await installationId(owned.db)));
    process.stdout.write(`${JSON.stringify(done)}\n`);
  } finally {
    await owned.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${printFailure(error)}\n`);
  process.exitCode = 1;
}
