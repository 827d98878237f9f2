import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { openExport, type ExportSettings, type FindLabels } from './export.ts';

let collector: Server;
let url: string;
/** The statuses of the next answers; afterwards 200. */
let answers: number[] = [];
/** A batch with this text is refused. */
let refused = '';
let taken: string[] = [];
let got: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      got.push({ headers: request.headers, body });
      const status = answers.shift() ?? (refused !== '' && body.includes(refused) ? 400 : 200);
      if (status === 200) taken.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`; // it listens on TCP
});
afterAll(() => collector.close());
beforeEach(() => {
  answers = [];
  refused = '';
  taken = [];
  got = [];
});

const findNothing: FindLabels = async (ids) => await Promise.resolve(ids.map(() => undefined));

function open(more: Partial<ExportSettings> = {}, findLabels = findNothing) {
  const faults: unknown[] = [];
  const settings = { url, headers: { 'x-api-key': 'secret' }, has_content: false, ...more };
  return { faults, sink: openExport(settings, { version: '1', findLabels, onError: (error) => faults.push(error) }) };
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
  answers = [403];
  sink.add([makeSpan(), makeSpan()]);
  await sink.close();
  expect([got.length, faults.length, sink.dropped()]).toEqual([3, 2, 2]);
});

test('a span that cannot be encoded, or that the collector refuses, does not fail the others of its batch', async () => {
  const { sink, faults } = open();
  refused = 'ill';
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  sink.add(names.map((name) => makeSpan({ name })));
  sink.add([makeSpan({ name: 'ill' }), makeSpan({ name: 'late', ended_us: 1e17 })]);
  await sink.close();
  const sent = taken.flatMap((body) => names.filter((name) => body.includes(`*\u0001${name}`)));
  expect(sent).toEqual(names);
  expect([faults.length, sink.dropped()]).toEqual([2, 2]);
});

test('a full queue drops and counts', async () => {
  const { sink } = open();
  sink.add(Array.from({ length: 10_003 }, () => makeSpan()));
  expect(sink.dropped()).toBe(3);
  await sink.close();
  expect(got).toHaveLength(20);
});

test('spans wait until the names of their agents are known, and each pair of agent and revision is asked about once', async () => {
  const asked: unknown[] = [];
  const { sink, faults } = open({}, async (ids) => {
    asked.push(ids.map(({ revision_id }) => revision_id));
    if (asked.length === 1) throw new Error('the database is away');
    return await Promise.resolve(ids.map(() => ({ agent: 'greeter', team: 'ml', version: '1.2.3' })));
  });
  const of_agent = { agent_id: 'agent', revision_id: 'first' };
  sink.add([makeSpan(of_agent), makeSpan(of_agent), makeSpan()]);
  await sink.flush();
  sink.add([makeSpan(of_agent), makeSpan({ ...of_agent, revision_id: 'second' })]);
  await sink.close();
  expect([asked, faults.length, sink.dropped()]).toEqual([[['first'], ['first'], ['second']], 1, 0]);
  expect(taken[0]).toMatch(
    /service\.name.*greeter.*service\.namespace.*ml.*service\.version.*1\.2\.3.*service\.name.*gantry/s,
  );
});
