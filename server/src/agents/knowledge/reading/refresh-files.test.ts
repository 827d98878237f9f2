// Files of several kinds through a refresh of a real service, with the machine's engine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx } from '../../../testing/knowledge/office-files.ts';
import { pdf } from '../../../testing/knowledge/pdf-file.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ config: { outbound_private_hosts: ['127.0.0.1'] } });
});
afterAll(async () => await app?.stop(), 120_000);

test('a refresh reads files in a container, finds their passages, and names each file that it cannot read', async () => {
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const files: Record<string, string | Buffer> = {
    '/leave.docx': docx([
      ['Heading1', 'Leave'],
      ['', 'Everybody has 30 days of leave.'],
    ]),
    '/rules.pdf': pdf(['The kettle is on the second floor.']),
    '/broken.pdf': 'no PDF',
    '/picture.png': 'x',
  };
  const site = await answeringServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', etag: '"1"' }).end(files[url]);
  });
  const documents = Object.keys(files).map((path) => ({ url: site + path }));
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name: 'files', team: 'ml', config: { documents, language: 'en' } },
  });
  const made = await refreshed(ada.client, 'knowledge.refresh', 'files');
  expect(made, JSON.stringify(made.problem)).toMatchObject({ state: 'done', snapshot: 1, serves: true });
  const shown = await ada.client.call('knowledge.snapshot', { params: { name: 'files', number: 1 } });
  expect(shown.unreadable).toEqual([
    { path: `${site}/broken.pdf`, problem: 'it is damaged, or it is not a PDF' },
    { path: `${site}/picture.png`, problem: 'image/png is no type that is read' },
  ]);
  const { passages } = await ada.client.call('knowledge.search', {
    params: { name: 'files' },
    body: { query: 'days of leave' },
  });
  expect(passages[0]).toMatchObject({ path: `${site}/leave.docx`, headings: ['Leave'] });
  expect(passages[0]?.text).toContain('Everybody has 30 days of leave.');
}, 300_000);
