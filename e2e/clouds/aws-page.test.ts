// The commands of docs/guide/targets/aws.md, typed unchanged with the real svc, on an emulator of ECS that runs tasks on this machine's engine. The one
// word that differs is the address of the door, which has a certificate of the test.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { svcProgram } from '../../cli/src/testing/run-svc.ts';
import { openAwsStage, type AwsStage } from '../../server/src/testing/agents/aws-stage.ts';
import { fillIn, missingLine, readGuide } from '../guide.ts';

const page = join(import.meta.dirname, '../../docs/guide/targets/aws.md');
const commands = readGuide(await readFile(page, 'utf8'));
const words = new Map<string, string>();
let stage: AwsStage;
let home: string;

beforeAll(async () => {
  stage = await openAwsStage();
  home = await mkdtemp(join(tmpdir(), 'gantry-page-'));
  await writeFile(join(home, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${svcProgram} "$@"\n`);
  await chmod(join(home, 'svc'), 0o755);
  await writeFile(join(home, 'ca.pem'), String(stage.config['service_ca']));
  await writeFile(join(home, 'secret'), 'of the emulator\n');
  const { email, password } = stage.app.admin;
  expect(await type(`svc login --email ${email} --password '${password}' --store file`)).toMatchObject({ code: 0 });
}, 300_000);
afterAll(async () => {
  await stage?.stop();
  if (home !== undefined) await rm(home, { recursive: true });
}, 120_000);

async function type(line: string): Promise<{ code: number; output: string }> {
  const PATH = `${home}:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const env = { HOME: home, PATH, DATA_DIR: join(home, 'data'), SERVICE_URL: stage.app.url };
  return await new Promise((resolve) => {
    const options = { cwd: home, env, timeout: 280_000, encoding: 'utf8' } as const;
    const child = execFile('/bin/sh', ['-c', `{ ${line}\n} 2>&1`], options, (_, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    );
    child.stdin?.end();
  });
}

test.each(commands.map((command) => [`${command.line}: ${command.command}`, command] as const))(
  '%s',
  async (_, { command, exits, prints }) => {
    const door = `${String(stage.config['service_url'])} --service-ca ca.pem`;
    const ran = await type(fillIn(command, words).replace('https://door.example.com', door));
    expect(ran).toEqual({ code: exits, output: expect.anything() });
    const missing = missingLine(ran.output, prints, words);
    expect({ missing, output: missing === undefined ? '' : ran.output }).toEqual({ missing: undefined, output: '' });
  },
  300_000,
);
