import type { ServerResponse } from 'node:http';
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, scriptService, type ScriptedService } from '../testing/scripted-service.ts';

const id = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
const at = '2026-01-31T12:00:00.000Z';
const secret: Secret = {
  id,
  name: 'KEY',
  team: null,
  agent: 'greeter',
  created_by: 'ada@example.com',
  created_at: at,
  changed_by: 'ada@example.com',
  changed_at: at,
  used_by: [],
};
const svc = async ({ url }: ScriptedService, words: string[], stdin: string | Uint8Array) =>
  await runSvc(['secret', ...words], { home: freshHome(), env: { SERVICE_URL: url, SERVICE_API_TOKEN: 't' }, stdin });

test.each([
  ['one line end is dropped', 'value\n', 'value'],
  ['a second one stays', 'value\n\n', 'value\n'],
  ['the line end of Windows is one', 'one\r\ntwo\r\n', 'one\r\ntwo'],
  ['a byte order mark stays', '\ufeffvalue', '\ufeffvalue'],
  ['the longest value fits', `${'ü'.repeat(32 * 1024)}\r\n`, 'ü'.repeat(32 * 1024)],
])('the value is stdin, and %s', async (_, stdin, value) => {
  await using service = await scriptService({ 'PUT /api/v1/secrets': data(secret) });
  const { exit, stdout, stderr } = await svc(service, ['set', 'KEY', '--agent', 'greeter'], stdin);
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('undo: svc secret remove KEY --agent greeter') as string,
  });
  expect(JSON.parse(service.asked[0]?.body ?? '')).toEqual({ name: 'KEY', agent: 'greeter', value });
  expect(stdout + stderr).not.toContain(value.trim());
});

test.each([
  ['is empty', '\n'],
  ['contains a NUL character', 'hidden\0value'],
  ['is no valid UTF-8', Buffer.from([0x68, 0x69, 0x64, 0x64, 0x65, 0x6e, 0xff])],
  ['is over 64 KB', 'hidden'.padEnd(64 * 1024 + 1, 'x')],
  ['is over 64 KB', Buffer.alloc(64 * 1024 + 3, 'hidden')],
])('a value that %s is refused before it is sent, and is not shown', async (fault, stdin) => {
  await using service = await scriptService({ 'PUT /api/v1/secrets': data(secret) });
  const { exit, stdout, stderr } = await svc(service, ['set', 'KEY', '--agent', 'greeter'], stdin);
  expect({ exit, stderr }).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`The value of KEY on stdin ${fault}`) as string,
  });
  expect(service.asked).toEqual([]);
  expect(stdout + stderr).not.toContain('hidden');
});

test('a value as an argument is refused', async () => {
  await using service = await scriptService({ 'PUT /api/v1/secrets': data(secret) });
  const { exit } = await svc(service, ['set', 'KEY', 'a-value', '--agent', 'greeter'], 'value');
  expect({ exit, asked: service.asked }).toEqual({ exit: 2, asked: [] });
});

test('the same name in two scopes needs a scope', async () => {
  await using service = await scriptService({
    'GET /api/v1/secrets': list([secret, { ...secret, team: 'ml', agent: null }]),
  });
  const { exit, stderr } = await svc(service, ['remove', 'KEY', '--yes'], '');
  expect(exit).toBe(1);
  for (const text of ['agents/greeter', 'team:ml', '--team or --agent']) expect(stderr).toContain(text);
});

test('a rotation ends at the first agent that does not start, names the rest, and leaves a stopped agent alone', async () => {
  const used = { ...secret, team: 'ml', agent: null, used_by: ['asleep', 'first', 'second', 'third'] };
  const status = (name: string, state: string) => data({ name, ref: `agents/${name}@1.0.0`, state, target: 'local' });
  const deploying = (ref: string) => ({
    id: ref === 'agents/first@1.0.0' ? id : id.replace('4e10', '4e11'),
    ref,
    agent: ref.slice(7, -6),
    state: 'queued',
    created_at: at,
    notices: [],
    cost: null,
  });
  const failure = { code: 'start_failed', detail: 'The container exited with 7' };
  const ended = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(
      printServerSentEvent({
        id: '1',
        data: JSON.stringify({ seq: 1, at, kind: 'end', step: null, state: 'done', message: '', data: {} }),
      }),
    );
  const second = id.replace('4e10', '4e11');
  await using service = await scriptService({
    'GET /api/v1/secrets': list([used]),
    'PUT /api/v1/secrets': data(used),
    'GET /api/v1/agents/asleep': status('asleep', 'stopped'),
    'GET /api/v1/agents/first': status('first', 'serving'),
    'GET /api/v1/agents/second': status('second', 'serving'),
    'GET /api/v1/deployments': list([]),
    'POST /api/v1/deployments': (response, { body }) =>
      data(deploying((JSON.parse(body) as { ref: string }).ref), 202)(response, { body } as never), // it reads the body alone
    [`GET /api/v1/deployments/${id}/events`]: ended,
    [`GET /api/v1/deployments/${id}`]: data({ ...deploying('agents/first@1.0.0'), state: 'done' }),
    [`GET /api/v1/deployments/${second}/events`]: ended,
    [`GET /api/v1/deployments/${second}`]: data({
      ...deploying('agents/second@1.0.0'),
      state: 'failed',
      problem: failure,
    }),
  });
  const { exit, stderr } = await svc(service, ['rotate', 'KEY'], 'value');
  expect(exit).toBe(1);
  const asked = service.asked.filter(({ method, path }) => method === 'POST' && path === '/api/v1/deployments');
  expect(asked.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
    ['first', 'second'].map((name) => ({ ref: `agents/${name}@1.0.0`, force: true, target: 'local' })),
  );
  for (const text of [
    'agents/second@1.0.0 could not be replaced',
    'The container exited with 7',
    'second, third keep the previous value',
  ])
    expect(stderr).toContain(text);
});
