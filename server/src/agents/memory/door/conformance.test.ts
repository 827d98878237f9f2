// langgraph's own conformance kit for checkpointers, through the wrapper's saver and the real door, in an open run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneEnvironment, cloneFolder } from '../../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../../setup/packages/python.js';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, type MemoryStage } from '../../../testing/agents/memory-stage.ts';

let stage: MemoryStage;
beforeAll(async () => {
  stage = await memoryStage();
});
afterAll(async () => await stage?.close());

test('the saver of the service has all capabilities of the kit', async () => {
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  const caller_id = row?.id ?? '';
  const run = await stage.openRun({ caller_id, thread: 'thread-of-the-kit' });
  const uv = await ensureUv(() => {});
  const words = ['run', '--quiet', 'python', 'tests/checkpoint_conformance.py'];
  const token = stage.tokenOf({ id: run.id, caller_id });
  const child = spawn(uv, [...words, stage.door, stage.key, token], {
    cwd: join(cloneFolder, 'wrapper'),
    env: { ...cloneEnvironment(await uvEnvironment()), PYTHONPATH: '.' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = (await ended) as [number];
  expect(`${printed}${exit_code === 0 ? '' : complaint}`).not.toContain('FAIL');
  expect([exit_code, complaint]).toEqual([0, expect.anything()]);
  await run.end();
}, 180_000);
