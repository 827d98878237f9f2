// svc prints the audit log, followed and exported, across lost connections.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { problem, scriptService, type ScriptedService } from '../testing/scripted-service.ts';

const events = 'GET /api/v1/audit/events';
const exported = 'GET /api/v1/audit/export';
const hash = '0'.repeat(64);

function entry(seq: number) {
  return {
    chain: 'governance',
    seq,
    occurred_at: `2026-01-31T12:00:0${seq}.000000Z`,
    hash,
    event: 'team.created',
    outcome: 'done',
    actor: { kind: 'user', id: null, name: 'ada@example.com' },
    team: 'ml',
    asset: null,
    ip: null,
    request_id: null,
    detail: { note: 'a\u2028b' },
  };
}

/** Sends its position, then these entries, and ends the stream like a stopping service. */
function say(...seqs: number[]) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const stands = JSON.stringify({ entry: null });
    response.write(printServerSentEvent({ id: `at ${(seqs[0] ?? 1) - 1}`, data: stands }));
    for (const seq of seqs)
      response.write(printServerSentEvent({ id: `at ${seq}`, data: JSON.stringify({ entry: entry(seq) }) }));
    response.end();
  };
}

type Reply = ReturnType<typeof problem>;
async function script(route: string, ...replies: Reply[]): Promise<ScriptedService> {
  return await scriptService({
    [route]: (...asked) => (replies.length > 1 ? replies.shift() : replies[0])?.(...asked),
  });
}

const where = (service: { url: string }, home = freshHome()) => ({
  home,
  env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 'token' },
});

test('following prints a line of JSON for each entry, and resumes after the last one seen', async () => {
  const gone = problem(401, 'unauthenticated', 'The session has ended');
  await using service = await script(events, say(1, 2), say(3), gone);
  const ran = await runSvc(['audit', '--follow', '--json', '--action', 'team'], where(service));
  const lines = ran.stdout.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3]);
  expect(service.asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'at 2', 'at 3']);
  expect(ran.exit).toBe(1);
});

test('Ctrl-C ends following without an error', async () => {
  await using service = await script(events, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(printServerSentEvent({ id: 'at 1', data: JSON.stringify({ entry: entry(1) }) }));
  });
  const { home, env } = where(service);
  const program = fileURLToPath(new URL('../../svc.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'audit', '--follow', '--json'], {
    env: { HOME: home, PATH: path.dirname(process.execPath), ...env },
  });
  const ended = once(child, 'exit');
  const complaints = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(await complaints).not.toContain('✗');
});

test('--follow has no end', async () => {
  await using service = await script(events, say(1));
  for (const flag of [
    ['--until', '1d'],
    ['--limit', '5'],
    ['--entry', 'governance/3'],
  ]) {
    const ran = await runSvc(['audit', '--follow', ...flag], where(service));
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('leave out --until, --limit and --entry') as string,
    });
  }
  expect(service.asked).toEqual([]);
});

const line = { kind: 'entry', ...entry(1), body: '{"a":"\u2028"}', prev: hash };
const { chain, seq, occurred_at, body, prev, kind } = line;
const entryLine = { kind, chain, seq, occurred_at, body, prev, hash };
const cursorLine = { kind: 'cursor', cursor: `governance:1:${hash}` };

function send(...lines: object[]) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(lines.map(printJsonLine).join(''));
  };
}

test('an export is lines of JSON on stdout, or a complete new file', async () => {
  await using service = await script(exported, send(entryLine, cursorLine));
  const at = where(service);
  expect((await runSvc(['audit', 'export'], at)).stdout).toBe(printJsonLine(entryLine) + printJsonLine(cursorLine));
  const made = await runSvc(['audit', 'export', '--out', 'log.ndjson'], at);
  expect(made.exit).toBe(0);
  const file = path.join(at.home, 'log.ndjson');
  expect(readFileSync(file, 'utf8')).toBe(printJsonLine(entryLine) + printJsonLine(cursorLine));
  expect((await runSvc(['audit', 'export', '--out', 'log.ndjson'], at)).exit).toBe(2);
  const queries = service.asked.filter(({ method }) => method === 'GET');
  expect(queries).toHaveLength(2);
});

test.each([
  ['without its last line', send(entryLine)],
  [
    'in the middle of a line',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': '10000' });
      response.write(printJsonLine(entryLine));
      response.write('{"kind":', () => response.destroy());
    },
  ],
])('an export that ends %s fails', async (_, reply) => {
  await using service = await script(exported, reply);
  const at = where(service);
  const ran = await runSvc(['audit', 'export', '--out', 'log.ndjson'], at);
  expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('The export ended early') as string });
  expect(existsSync(path.join(at.home, 'log.ndjson'))).toBe(false);
});
