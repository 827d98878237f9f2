import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { scriptService } from '../testing/scripted-service.ts';

let folder: string;
const at = (name: string) => path.join(folder, name);
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-files-'));
  writeFileSync(at('a.png'), png);
  writeFileSync(at('b.csv'), 'a,b');
  writeFileSync(at('page.png'), '<html>');
  writeFileSync(at('scan.tiff'), 'II*');
  writeFileSync(at('big.csv'), 'x'.repeat(2049));
  writeFileSync(at('empty.csv'), '');
  writeFileSync(at('unknown'), 'x');
  mkdirSync(at('folder.csv'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const json = (value: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const properties = { messages: { type: 'array' } };
const files = { types: ['image/png', 'text/csv'], max_bytes: 2048, max_files: 2, max_message_bytes: 4096 };

async function invoke(words: readonly string[], said: object = { files }) {
  await using service = await scriptService({
    'GET /agents/seer/input': json({ data: { input_schema: { properties }, keeps_threads: true, ...said } }),
    'POST /agents/seer/invoke': json({ status: 'completed', output: 'seen' }),
  });
  const where = { home: freshHome(), env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' }, stdin: '' };
  const ended = await runSvc(['invoke', 'seer', ...words], where);
  const call = service.asked.find(({ method }) => method === 'POST');
  return { ...ended, sent: call && (JSON.parse(call.body) as object) };
}

test('files are parts of the message, after its text', async () => {
  const part = { type: 'image', mime_type: 'image/png', base64: png.toString('base64'), extras: { filename: 'a.png' } };
  const csv = { type: 'file', mime_type: 'text/csv', base64: 'YSxi', extras: { filename: 'b.csv' } };
  const content = (...parts: object[]) => ({ input: { messages: [{ role: 'user', content: parts }] } });
  const both = await invoke(['What is it?', '--file', at('a.png'), '--file', at('b.csv')]);
  expect(both.exit).toBe(0);
  expect(both.sent).toEqual(content({ type: 'text', text: 'What is it?' }, part, csv));
  expect((await invoke(['--file', at('a.png')])).sent).toEqual(content(part));
});

test.each<[string, string[], number, string]>([
  ['of another type', ['scan.tiff'], 1, '"scan.tiff" is image/tiff. The agent takes image/png and text/csv.'],
  ['whose content is not its type', ['page.png'], 1, '"page.png" says that it is image/png, and its content is not.'],
  ['that is too large', ['big.csv'], 1, '"big.csv" has 2 kB. A file has at most 2 kB.'],
  ['that is empty', ['empty.csv'], 1, '"empty.csv" is empty.'],
  ['with an unknown end', ['unknown'], 1, '"unknown" does not say one media type.'],
  ['too many', ['b.csv', 'b.csv', 'b.csv'], 1, 'A message has at most 2 files, and this one has 3.'],
  ['that is not there', ['gone.csv'], 2, 'There is no file'],
  ['that is a folder', ['folder.csv'], 2, 'is no file'],
])('a file %s is refused, and nothing is sent', async (_, names, code, sentence) => {
  const { exit, stderr, sent } = await invoke(['hi', ...names.flatMap((name) => ['--file', at(name)])]);
  expect([exit, sent]).toEqual([code, undefined]);
  expect(stderr).toContain(sentence);
});

test.each<[string, string[], object, number, string]>([
  ['says nothing of files', ['hi'], { files: null }, 1, 'seer does not say which files it takes.'],
  ['is served by an earlier release', ['hi'], {}, 1, 'seer does not say which files it takes.'],
  ['takes none', ['hi'], { files: { ...files, types: [] } }, 1, 'The agent takes no files.'],
  ['takes no messages', ['hi'], { files, input_schema: { properties: { text: {} } } }, 2, 'takes no messages'],
  ['gets JSON', ['{"messages":[]}'], { files }, 2, '--file goes with a text'],
])('a file for an agent that %s is refused, and nothing is sent', async (_, words, said, code, sentence) => {
  const { exit, stderr, sent } = await invoke([...words, '--file', at('a.png')], said);
  expect([exit, sent]).toEqual([code, undefined]);
  expect(stderr).toContain(sentence);
});
