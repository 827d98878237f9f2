import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { Cluster } from './client.ts';
import { podLog } from './pod-log.ts';

const at = '2026-01-01T12:00:00.123456789Z';

async function read(chunks: (string | Buffer)[], values: string[] = []) {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as unknown as IncomingMessage; // only its bytes are read
  const cluster = { open: async () => await Promise.resolve(body) } as unknown as Cluster; // nothing else is called
  return await Array.fromAsync(podLog(cluster, { pod: 'one', values, signal: AbortSignal.timeout(5000) }));
}

test('a line is a time and a text, wherever the pieces of the stream are cut', async () => {
  const bytes = Buffer.from(`${at} grüße\n${at} \n${at} a b\n`);
  const cuts = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  const lines = ['grüße', '', 'a b'].map((line) => ({ at, stream: 'stdout', line }));
  expect(await read(cuts)).toEqual(lines);
  expect(await read([bytes])).toEqual(lines);
});

test('a value is masked, also where the pieces of an endless line are cut', async () => {
  const long = 'x'.repeat(20_000);
  const pieces = await read(
    [`${at} ${long}the sec`, `ret word${long}`, `\n${at} the secret word\n`],
    ['the secret word'],
  );
  const text = pieces.map(({ line }) => line).join('');
  expect(text).toBe(`${long}***${long}***`);
  expect(pieces.length).toBeGreaterThan(2);
  expect(new Set(pieces.map((piece) => piece.at))).toEqual(new Set([at]));
});

test('the log of a pod that is gone is empty', async () => {
  const cluster = { open: async () => await Promise.resolve(undefined) } as unknown as Cluster; // as above
  expect(await Array.fromAsync(podLog(cluster, { pod: 'one', values: [], signal: AbortSignal.timeout(1000) }))).toEqual(
    [],
  );
});
