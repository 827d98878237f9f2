// The server program. `serve` runs every role in the foreground until SIGTERM or SIGINT; `seed` and `reset-admin` do their one thing.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { startApp } from './app.ts';
import { ConfigFault, readConfig } from './config.ts';
import { DataDirectoryInUse } from './data-directory.ts';
import { OrgConfigFault } from './principals/org-settings.ts';
import { PortTaken } from './http/serve.ts';
import { openFoundation } from './foundation.ts';
import { openLog } from './log.ts';
import { resetAdmin } from './login/reset-admin.ts';
import { seed, seed_email } from './principals/seed.ts';

const usage = `Usage:
  node server/src/main.ts serve
  node server/src/main.ts seed --password-file <path>
  node server/src/main.ts reset-admin`;

async function main(): Promise<void> {
  process.umask(0o077);
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'password-file': { type: 'string' } },
  });
  switch (positionals[0]) {
    case 'serve':
      return await serveUntilStopped();
    case 'seed':
      return await seedWithRandomPassword(values['password-file']);
    case 'reset-admin':
      return await printNewAdminPassword();
    default:
      throw new ConfigFault(usage);
  }
}

async function serveUntilStopped(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.log_level);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const app = await startApp(config, log);
  process.on(
    'SIGHUP',
    () =>
      void app
        .readSettings()
        .catch((error: unknown) => log.error({ err: error }, 'the organisation settings were not applied')),
  );
  try {
    await Promise.race([new Promise((resolve) => stop.signal.addEventListener('abort', resolve)), app.failed]);
  } finally {
    await app.stop();
  }
}

// The password reaches its file before the row that it opens: a crash between them leaves a file, and the next run replaces it.
async function seedWithRandomPassword(file: string | undefined): Promise<void> {
  if (file === undefined) throw new ConfigFault(usage);
  const foundation = await openFoundation(readConfig());
  try {
    const { password, hash } = await foundation.passwords.oneTime();
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const seeded = await seed(
      foundation.db,
      { password_hash: hash, must_change: false },
      async () => await writeFile(file, `${password}\n`, { mode: 0o600 }),
    );
    process.stdout.write(`${JSON.stringify({ seeded, admin_email: seed_email, password_file: file })}\n`);
  } finally {
    await foundation.close();
  }
}

async function printNewAdminPassword(): Promise<void> {
  const foundation = await openFoundation(readConfig());
  try {
    const { password, hash } = await foundation.passwords.oneTime();
    await resetAdmin(foundation.db, hash);
    process.stdout.write(`${JSON.stringify({ admin_email: seed_email, one_time_password: password })}\n`);
  } finally {
    await foundation.close();
  }
}

try {
  await main();
} catch (error) {
  const expected =
    error instanceof ConfigFault ||
    error instanceof DataDirectoryInUse ||
    error instanceof OrgConfigFault ||
    error instanceof PortTaken;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
