import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { scriptService, type Reply } from '../testing/scripted-service.ts';

const answers = (...messages: object[]): Record<string, Reply> => ({
  'POST /mcp/bank': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')),
});
const result = (of: object) => ({ jsonrpc: '2.0', id: 1, result: of });
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

async function call(routes: Record<string, Reply>, ...words: string[]) {
  await using service = await scriptService(routes);
  const env = { SERVICE_API_TOKEN: 'token' };
  const ran = await runSvc(['tool', 'call', 'bank', 'transfer', ...words, '--server', service.url], {
    home: freshHome(),
    env,
  });
  return { ...ran, sent: JSON.parse(service.asked.at(-1)?.body ?? 'null') as unknown };
}

test('the arguments go out as JSON or text, and the result after any progress comes back', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, message: 'counting' } };
  const { exit, stdout, sent } = await call(
    answers(progress, result(text('5 sent'))),
    '--arg',
    'amount=5',
    '--arg',
    'to=Ada',
  );
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '5 sent\n' });
  expect(sent).toMatchObject({
    method: 'tools/call',
    params: { name: 'transfer', arguments: { amount: 5, to: 'Ada' } },
  });
});

test('a refusal and a call that waits have their exit codes, and a tool that fails too', async () => {
  const refused = (code: string) => ({
    ...text('no'),
    isError: true,
    _meta: { 'gantry/problem': code, 'gantry/detail': 'Too much.' },
  });
  const args = ['--args-json', '{"amount":5}'];
  expect(await call(answers(result(refused('rule_refused'))), ...args)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('Too much.') as string,
  });
  expect((await call(answers(result(refused('call_waits'))), ...args)).exit).toBe(4);
  expect((await call(answers(result(refused('question_waits'))), ...args)).exit).toBe(4);
  expect(await call(answers(result({ ...text('no such account'), isError: true })), ...args)).toMatchObject({
    exit: 1,
    stdout: 'no such account\n',
  });
  expect((await call(answers(result(text(''))), '--arg', 'a=1', ...args)).exit).toBe(2);
});
