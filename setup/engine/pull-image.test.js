// @ts-check
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pullImage } from './pull-image.js';

/** An engine in front of a registry that behaves as the test says; a real one cannot be made to. */
let answer = (/** @type {import('node:http').ServerResponse} */ _reply) => {};
const server = createServer((_request, reply) => answer(reply));
const folder = mkdtempSync(join(tmpdir(), 'gantry-pull-'));
const engine = `unix://${join(folder, 'engine.sock')}`;
const patience = { first_sign_seconds: 0.2, standstill_seconds: 0.2 };

beforeEach(() => new Promise((resolve) => void server.listen(join(folder, 'engine.sock'), () => resolve(undefined))));
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(resolve));
});
afterEach(() => rmSync(join(folder, 'engine.sock'), { force: true }));

function pull() {
  return pullImage(engine, 'python:3.12', () => {}, patience);
}

test('a pull that ends well gives no reason', async () => {
  answer = (reply) => reply.end('{"status":"Pulling fs layer"}\r\n{"status":"Download complete"}\r\n');
  expect(await pull()).toEqual({});
});

test('a registry that refuses is quoted', async () => {
  answer = (reply) => reply.writeHead(404).end('{"message":"manifest unknown"}\n');
  expect(await pull()).toEqual({ reason: 'manifest unknown' });
});

test('a pull that fails on its way is not taken for a success', async () => {
  answer = (reply) => reply.end('{"status":"Downloading"}\r\n{"error":"unexpected EOF","errorDetail":{}}\r\n');
  expect(await pull()).toEqual({ reason: 'unexpected EOF' });
});

test('a registry that gives no sign is not waited for', async () => {
  answer = () => {};
  expect((await pull()).reason).toContain('no answer');
});

test('a pull that stands still is given up', async () => {
  answer = (reply) => reply.write('{"status":"Downloading"}\r\n');
  expect((await pull()).reason).toContain('stood still');
});

test('an engine that breaks off is not taken for a success', async () => {
  answer = (reply) => {
    reply.write('{"status":"Downloading"}\r\n');
    setImmediate(() => reply.destroy());
  };
  expect((await pull()).reason).toBeDefined();
});
