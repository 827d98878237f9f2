import type { ServerResponse } from 'node:http';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { expect, test } from 'vitest';
import { makeSession } from '../testing/make-session.ts';
import { freshHome, runSvc, type Ran } from '../testing/run-svc.ts';
import { problem, scriptService, type ScriptedService } from '../testing/scripted-service.ts';
import { readLogs } from './read-logs.ts';

const route = 'GET /api/v1/agents/greeter/logs';
const at = (second: number) => `2026-01-31T12:00:0${second}.000000001Z`;

/** Sends these lines, and ends the stream like a stopping service. */
function say(...seconds: number[]) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const second of seconds) {
      const data = { at: at(second), stream: 'stdout', line: `line ${second}`, revision: 'r', instance: 1 };
      response.write(printServerSentEvent({ id: at(second), data: JSON.stringify(data) }));
    }
    response.end();
  };
}
const hangUp = (response: ServerResponse) => void response.destroy();
const starting = problem(503, 'starting', 'The service is starting');

type Reply = ReturnType<typeof problem>;
async function script(...replies: Reply[]): Promise<ScriptedService> {
  return await scriptService({
    [route]: (...asked) => (replies.length > 1 ? replies.shift() : replies[0])?.(...asked),
  });
}

async function svcLogs({ url }: { url: string }, ...flags: string[]): Promise<Ran> {
  const env = { SERVICE_URL: url, SERVICE_API_TOKEN: 'token' };
  return await runSvc(['logs', 'greeter', ...flags], { home: freshHome(), env });
}

test('following resumes after the last line when the service is restarted, and prints a notice', async () => {
  await using service = await script(say(1, 2), hangUp, starting, say(3), problem(403, 'forbidden', 'No more of it'));
  const ran = await svcLogs(service, '-f');
  expect(ran.stdout.split('\n')).toEqual([`${at(1)} line 1`, `${at(2)} line 2`, `${at(3)} line 3`, '']);
  expect(service.asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, at(2), at(2), at(2), at(3)]);
  // One notice per interruption, not per attempt.
  expect(ran.stderr.match(/reconnecting/g)).toHaveLength(2);
});

test.each([
  [404, 'not_found'],
  [403, 'forbidden'],
])('a refusal while following, %i, ends it', async (status, code) => {
  await using service = await script(say(1), problem(status, code, 'You may not'));
  expect(await svcLogs(service, '-f')).toMatchObject({ exit: 1, stdout: `${at(1)} line 1\n` });
  expect(service.asked.filter(({ path }) => path.endsWith('/logs'))).toHaveLength(2);
});

test('a failed first connection ends the reading at once', async () => {
  await using service = await script(hangUp);
  expect((await svcLogs(service, '-f')).exit).toBe(3);
  expect(service.asked).toHaveLength(1);
});

test('the client stops when the service stays unreachable', async () => {
  await using service = await script(say(1), hangUp);
  const { signal } = new AbortController();
  const logs = { name: 'greeter', follow: true, query: {}, signal, patience_milliseconds: 400 };
  const lines: string[] = [];
  const following = async () => {
    for await (const { line } of readLogs(makeSession(service.url), logs)) lines.push(line);
  };
  await expect(following()).rejects.toMatchObject({ name: 'Unreachable' });
  expect(lines).toEqual(['line 1']);
});

test('lines of several containers name their revision and instance', async () => {
  await using service = await script((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [second, instance] of [1, 1, 2].entries()) {
      const data = { at: at(second), stream: 'stdout', line: `line ${second}`, revision: '0192f0c4-1111', instance };
      response.write(printServerSentEvent({ id: at(second), data: JSON.stringify(data) }));
    }
    response.end();
  });
  const flags = ['--revision', '0192f0c4', '--instance', '2', '--level', 'warning', '--text', 'line', '--tail', '5'];
  const { stdout } = await svcLogs(service, ...flags);
  expect(stdout).toBe(`${at(0)} line 0\n${at(1)} line 1\n${at(2)} 0192f0c4/2 line 2\n`);
  expect(Object.fromEntries(new URLSearchParams(service.asked.at(-1)?.query))).toEqual({
    follow: 'false',
    revision: '0192f0c4',
    instance: '2',
    level: 'warning',
    text: 'line',
    tail: '5',
  });
});

test('a log without --follow is read once', async () => {
  await using service = await script(say(1));
  expect(await svcLogs(service)).toMatchObject({ exit: 0, stdout: `${at(1)} line 1\n` });
  expect(service.asked).toHaveLength(1);
});

test('a refusal between the lines is printed after them, and ends the command', async () => {
  const refused = { code: 'not_found', detail: 'There is no agents/greeter that you may read.' };
  await using service = await script((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const data = { at: at(1), stream: 'stdout', line: 'line 1', revision: 'r', instance: 1 };
    response.write(printServerSentEvent({ id: at(1), data: JSON.stringify(data) }));
    response.end(printServerSentEvent({ event: 'problem', data: JSON.stringify(refused) }));
  });
  const ran = await svcLogs(service, '-f');
  expect(ran.stdout).toBe(`${at(1)} line 1\n`);
  expect(ran.stderr).toContain(refused.detail);
  expect(ran.exit).toBe(1);
  expect(service.asked.length).toBe(1);
});
