import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeSpan } from '../testing/make-span.ts';
import { openExport, type ExportSettings } from './export.ts';

let collector: Server;
let url: string;
/** The statuses of the next answers; afterwards 200. */
let answers: number[] = [];
let got: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString('latin1') });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`; // it listens on TCP
});
afterAll(() => collector.close());
beforeEach(() => {
  answers = [];
  got = [];
});

function open(more: Partial<ExportSettings> = {}) {
  const faults: unknown[] = [];
  const settings = { url, headers: { 'x-api-key': 'secret' }, has_content: false, ...more };
  return { faults, sink: openExport(settings, { version: '1', onError: (error) => faults.push(error) }) };
}

test('a collector gets each span with the configured headers, and content only when the setting allows it', async () => {
  const { sink } = open();
  sink.add([makeSpan({ name: 'one', input: 'the question' }), makeSpan({ name: 'two' })]);
  await sink.close();
  const telling = open({ has_content: true });
  telling.sink.add([makeSpan({ input: 'the question' })]);
  await telling.sink.close();
  expect(got).toHaveLength(2);
  expect(got[0]?.headers).toMatchObject({ 'x-api-key': 'secret', 'content-type': 'application/x-protobuf' });
  expect(got[0]?.body).toMatch(/one.*two/s);
  expect(got[0]?.body).not.toContain('the question');
  expect(got[1]?.body).toContain('the question');
});

test('a batch that the collector cannot take now is sent again, and one that it refuses is dropped and counted', async () => {
  const { sink, faults } = open();
  answers = [503];
  sink.add([makeSpan({ name: 'again' })]);
  await sink.flush();
  expect(got.map(({ body }) => body.includes('again'))).toEqual([true, true]);
  expect([faults.length, sink.dropped()]).toEqual([1, 0]);
  answers = [400];
  sink.add([makeSpan(), makeSpan()]);
  await sink.close();
  expect([got.length, faults.length, sink.dropped()]).toEqual([3, 2, 2]);
});

test('a full queue drops and counts', async () => {
  const { sink } = open();
  sink.add(Array.from({ length: 10_003 }, () => makeSpan()));
  expect(sink.dropped()).toBe(3);
  await sink.close();
  expect(got).toHaveLength(20);
});
