// @ts-check
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeStalePidFile, startEngine } from './start-engine.js';
import { SetupProblem } from '../step.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-engine-'));
  path = join(folder, 'docker.pid');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the pid file of a running engine is left alone', () => {
  writeFileSync(path, '4711\n');
  expect(removeStalePidFile(path, 'dockerd', () => 'dockerd')).toBe(false);
  expect(existsSync(path)).toBe(true);
});

test('a pid file whose process is gone, or is another program by now, is removed', () => {
  for (const name of [undefined, 'bash']) {
    writeFileSync(path, '4711');
    expect(removeStalePidFile(path, 'dockerd', () => name)).toBe(true);
    expect(existsSync(path)).toBe(false);
  }
});

test('an unreadable number and no file at all are no obstacle', () => {
  expect(removeStalePidFile(path, 'dockerd')).toBe(false);
  writeFileSync(path, 'garbage');
  expect(removeStalePidFile(path, 'dockerd')).toBe(true);
});

test('an engine that never answers is reported with the end of its log', async () => {
  const engine = join(folder, 'engine');
  writeFileSync(engine, '#!/bin/sh\necho no space left >&2\nexit 1\n', { mode: 0o755 });
  const order = { dockerd: engine, args: ['--quiet'], logFile: join(folder, 'log'), deadline_seconds: 1, pidFiles: [] };
  const start = startEngine({ ...order, answers: () => Promise.resolve(false) });
  await expect(start).rejects.toThrow(SetupProblem);
  await expect(start).rejects.toThrow('no space left');
});
