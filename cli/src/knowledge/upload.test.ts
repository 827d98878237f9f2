import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, list, problem, scriptService } from '../testing/scripted-service.ts';

const uploads = '/api/v1/knowledge-bases/handbook/uploads';
const row = (at: string, text: string) => ({
  path: at,
  bytes: text.length,
  digest: createHash('sha256').update(text).digest('hex'),
  uploaded_at: '2026-01-31T12:00:00.000Z',
});

function folder(files: Record<string, string>): string {
  const home = mkdtempSync(path.join(tmpdir(), 'gantry-docs-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  return home;
}

async function upload(words: string[], { has = [] as object[], put = data(row('a', 'a')) } = {}) {
  await using service = await scriptService({
    [`GET ${uploads}`]: list(has),
    [`PUT ${uploads}`]: put,
    [`DELETE ${uploads}`]: (response) => response.writeHead(204).end(),
  });
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
  const ran = await runSvc(['kb', 'upload', 'handbook', ...words], { home: freshHome(), env });
  const asked = service.asked.flatMap(({ method, query, body }) =>
    method === 'GET' ? [] : [`${method} ${new URLSearchParams(query).get('path')}${body === '' ? '' : ` ${body}`}`],
  );
  return { ...ran, asked };
}

test('the files of a folder are sent by their paths, without hidden ones, links and those that are the same', async () => {
  const docs = folder({ 'b.md': 'new', 'hr/leave.md': 'same', '.env': 'KEY=1', '.git/config': 'x', 'e\u0301.md': 'é' });
  symlinkSync('/etc/passwd', path.join(docs, 'hr/link.md'));
  const { exit, asked, stdout } = await upload([docs], { has: [row('hr/leave.md', 'same'), row('old.md', 'old')] });
  expect(asked).toEqual(['PUT b.md new', 'PUT \u00e9.md é']);
  expect(stdout).toContain('2 sent, 1 unchanged, 0 deleted');
  expect(exit).toBe(0);
});

test('--delete removes what the folder does not have, and only below --under', async () => {
  const docs = folder({ 'a.md': 'a' });
  const has = [row('old.md', 'old'), row('hr/old.md', 'old'), row('hrx.md', 'x')];
  expect((await upload([docs, '--delete', '--under', 'hr/'], { has })).asked).toEqual([
    'PUT hr/a.md a',
    'DELETE hr/old.md',
  ]);
  expect((await upload([path.join(docs, 'a.md')], { has })).asked).toEqual(['PUT a.md a']);
});

test('a file that is too large is named, is not deleted in the base, and the others are sent', async () => {
  const docs = folder({ 'a.md': 'a', 'large.md': '' });
  truncateSync(path.join(docs, 'large.md'), 50 * 1024 * 1024 + 1);
  const ran = await upload([docs, '--delete'], { has: [row('large.md', 'old')] });
  expect(ran.asked).toEqual(['PUT a.md a']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('1 of 2 files were refused; 1 sent, 0 unchanged, 0 deleted');
  expect(ran.stderr).toContain('not sent: large.md: it has more than 50 MB');
});

test('a refusal of the base ends the upload', async () => {
  const docs = folder({ 'a.md': 'a', 'b.md': 'b' });
  const ran = await upload([docs], { put: problem(409, 'uploads_off', 'It takes none.') });
  expect(ran.asked).toEqual(['PUT a.md a']);
  expect(ran.stderr).toContain('It takes none.');
});
