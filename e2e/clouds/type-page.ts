// The commands of a page of docs/guide/targets/, typed unchanged with the real svc. The one word that differs is the address of the door, which has a
// certificate of the test.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { svcProgram } from '../../cli/src/testing/run-svc.ts';
import type { TestApp } from '../../server/src/testing/test-app.ts';
import { fillIn, missingLine, readGuide } from '../guide.ts';

interface Stage {
  app: TestApp;
  /** Of the target. */
  config: Record<string, unknown>;
  stop(): Promise<void>;
}

/** `files`: those that the page names, beside the authority of the door. */
export async function typePage(
  page: string,
  { open, files }: { open: () => Promise<Stage>; files: Readonly<Record<string, string>> },
): Promise<void> {
  const commands = readGuide(await readFile(join(import.meta.dirname, '../../docs/guide/targets', page), 'utf8'));
  const words = new Map<string, string>();
  let stage: Stage | undefined;
  let home = '';

  const type = async (line: string): Promise<{ code: number; output: string }> => {
    const PATH = `${home}:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const env = { HOME: home, PATH, DATA_DIR: join(home, 'data'), SERVICE_URL: stage?.app.url ?? '' };
    return await new Promise((resolve) => {
      const options = { cwd: home, env, timeout: 280_000, encoding: 'utf8' } as const;
      const child = execFile('/bin/sh', ['-c', `{ ${line}\n} 2>&1`], options, (_, output) =>
        resolve({ code: child.exitCode ?? -1, output }),
      );
      child.stdin?.end();
    });
  };

  beforeAll(async () => {
    stage = await open();
    home = await mkdtemp(join(tmpdir(), 'gantry-page-'));
    await writeFile(join(home, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${svcProgram} "$@"\n`);
    await chmod(join(home, 'svc'), 0o755);
    await writeFile(join(home, 'ca.pem'), String(stage.config['service_ca']));
    for (const [name, content] of Object.entries(files)) await writeFile(join(home, name), content);
    const { email, password } = stage.app.admin;
    expect(await type(`svc login --email ${email} --password '${password}' --store file`)).toMatchObject({ code: 0 });
  }, 300_000);
  afterAll(async () => {
    await stage?.stop();
    if (home !== '') await rm(home, { recursive: true });
  }, 120_000);

  test.each(commands.map((command) => [`${command.line}: ${command.command}`, command] as const))(
    '%s',
    async (_, { command, exits, prints }) => {
      const door = `${String(stage?.config['service_url'])} --service-ca ca.pem`;
      const ran = await type(fillIn(command, words).replace('https://door.example.com', door));
      const missing = ran.code === exits ? missingLine(ran.output, prints, words) : 'it ended otherwise';
      const output = missing === undefined ? '' : ran.output;
      expect({ code: ran.code, missing, output }).toEqual({ code: exits, missing: undefined, output: '' });
    },
    300_000,
  );
}
