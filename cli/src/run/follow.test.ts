import type { ServerResponse } from 'node:http';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { expect, test } from 'vitest';
import { makeSession } from '../testing/make-session.ts';
import { problem, scriptService } from '../testing/scripted-service.ts';
import { followRun } from './follow.ts';

const id = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
const route = `GET /api/v1/deployments/${id}/events`;
const event = (seq: number, kind: RunEvent['kind'] = 'log'): RunEvent => ({
  seq,
  at: '2026-01-31T12:00:00Z',
  kind,
  step: null,
  state: kind === 'end' ? 'done' : null,
  message: `${seq}`,
  data: {},
});
const run = { events: 'deployments.events' as const, id, signal: new AbortController().signal };

function send(response: ServerResponse, events: RunEvent[]): ServerResponse {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const each of events) response.write(printServerSentEvent({ id: String(each.seq), data: JSON.stringify(each) }));
  return response;
}

test('a broken stream is resumed after the last event, and each event comes exactly once', async () => {
  const replies = [
    (response: ServerResponse) => setTimeout(() => send(response, [event(1), event(2)]).destroy(), 0),
    (response: ServerResponse) => send(response, [event(3)]).end(),
    (response: ServerResponse) => send(response, [event(4), event(5, 'end')]).end(),
  ];
  await using service = await scriptService({ [route]: (response) => replies.shift()?.(response) });
  const seen: number[] = [];
  const end = await followRun(makeSession(service.url), run, ({ seq }) => seen.push(seq));
  expect(end.state).toBe('done');
  // A broken connection can lose sent events; the resumed one starts after the received ones.
  const resumedAfter = service.asked.map(({ headers }) => headers['last-event-id']);
  expect(resumedAfter[0]).toBeUndefined();
  expect(resumedAfter[2]).toBe('3');
  expect(seen).toEqual([...new Set(seen)]);
  expect(seen.slice(-3)).toEqual([3, 4, 5]);
});

test('the client waits for a restarting service', async () => {
  let asked = 0;
  await using service = await scriptService({
    [route]: (response, request) =>
      ++asked < 3 ? problem(503, 'starting', 'starting')(response, request) : send(response, [event(1, 'end')]).end(),
  });
  expect((await followRun(makeSession(service.url), run, () => {})).seq).toBe(1);
});

test('the client stops when the service stays unreachable, and names the command that resumes the watch', async () => {
  await using service = await scriptService({ [route]: problem(503, 'starting', 'starting') });
  await expect(
    followRun(makeSession(service.url), { ...run, patience_milliseconds: 300 }, () => {}),
  ).rejects.toMatchObject({
    code: 'connection_lost',
    more: { hint: expect.stringContaining(`svc deployments watch ${id}`) },
  });
});

test('a refusal is not retried', async () => {
  await using service = await scriptService({ [route]: problem(404, 'not_found', 'nothing here') });
  await expect(followRun(makeSession(service.url), run, () => {})).rejects.toMatchObject({ code: 'not_found' });
  expect(service.asked.length).toBe(1);
});

test('a refusal during a stream ends it after the earlier events, and is not retried', async () => {
  const refused = JSON.stringify({ code: 'forbidden', detail: 'Your role does not allow this.' });
  await using service = await scriptService({
    [route]: (response) => send(response, [event(1)]).end(printServerSentEvent({ event: 'problem', data: refused })),
  });
  const seen: number[] = [];
  await expect(followRun(makeSession(service.url), run, ({ seq }) => seen.push(seq))).rejects.toMatchObject({
    code: 'forbidden',
    detail: 'Your role does not allow this.',
  });
  expect(seen).toEqual([1]);
  expect(service.asked.length).toBe(1);
});
