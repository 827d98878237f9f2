// With the real engine: what the reader makes of files of each kind.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, pptx, xlsx } from '../../../testing/knowledge/office-files.ts';
import { pdf } from '../../../testing/knowledge/pdf-file.ts';
import { fileToRead, readerStage, type ReaderStage } from '../../../testing/knowledge/reader-stage.ts';
import type { Reading } from './document-reader.ts';

let stage: ReaderStage;
beforeAll(async () => {
  stage = await readerStage();
}, 180_000);
afterAll(async () => await stage?.close(), 60_000);

const textOf = (found: Reading | undefined) =>
  found !== undefined && 'read' in found ? found.read.text : found?.problem;
const words = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

test('each kind of file becomes Markdown', async () => {
  const page =
    '<title>Lëave</title><style>x</style><h1>Leave</h1><script>alert(1)</script><p>30 <b>days</b><ul><li>one<ol><li>in</ol></ul>' +
    '<table><tr><th>a<th>b<tr><td>1<td>2 | 3</table><pre>x\n  y</pre><!-- c -->end<br>of it';
  const mail = [
    'From: Ada <ada@example.com>',
    'Subject: =?utf-8?q?Caf=C3=A9?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b\nContent-Type: text/html; charset=utf-8\n\n<p>Tea is <b>free</b></p>',
    '--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=menu.pdf\n\nx\n--b--\n',
  ].join('\n');
  const found = await stage.read(
    fileToRead('a.md', '# Ä text', 'text/markdown'),
    fileToRead('b.csv', 'name;days\nAda;30\n"Bob | Co";20\n', 'text/csv; charset=utf-8'),
    fileToRead('c', page, 'text/html'),
    fileToRead(
      'd.docx',
      docx([
        ['Heading1', 'Leave'],
        ['', 'Everybody has 30 days.'],
      ]),
    ),
    fileToRead('e.pdf', pdf(['On page one', 'and on two'])),
    fileToRead(
      'f.xlsx',
      xlsx([
        [words('Item'), words('Cost')],
        [words('Tea'), '<c><v>3</v></c>'],
      ]),
    ),
    fileToRead('g.pptx', pptx('Plan', 'We grow.')),
    fileToRead('h.eml', mail),
    fileToRead('i.csv', Buffer.from('n\u00e4me\nx', 'latin1')),
  );
  expect(found).toEqual({
    'a.md': { path: 'a.md', read: { text: '# Ä text' } },
    'b.csv': { path: 'b.csv', read: { text: '| name | days |\n| --- | --- |\n| Ada | 30 |\n| Bob \\| Co | 20 |' } },
    c: {
      path: 'c',
      read: {
        title: 'Lëave',
        text: '# Leave\n\n30 days\n\n- one\n  1. in\n\n| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 |\n\n```\nx\n  y\n```\n\nend\nof it',
      },
    },
    'd.docx': { path: 'd.docx', read: { text: '# Leave\n\nEverybody has 30 days.' } },
    'e.pdf': { path: 'e.pdf', read: { title: 'A PDF', pages: 2, text: 'On page one\n\nand on two' } },
    'f.xlsx': { path: 'f.xlsx', read: { text: '## Costs\n\n| Item | Cost |\n| --- | --- |\n| Tea | 3 |' } },
    'g.pptx': { path: 'g.pptx', read: { pages: 1, text: '## Plan\n\nWe grow.' } },
    'h.eml': {
      path: 'h.eml',
      read: {
        title: 'Café',
        text: '# Café\n\nFrom: Ada <ada@example.com>\nAttachments: menu.pdf\n\nTea is free',
      },
    },
    'i.csv': { path: 'i.csv', read: { text: '| näme |\n| --- |\n| x |' } },
  });
}, 300_000);

test('a file that is not read is named with its reason, and the others are read', async () => {
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  const files: [name: string, content: string | Buffer, reason: string, media_type?: string][] = [
    [
      'zip bomb.docx',
      docx([['', 'x'.repeat(250_000_000)]], { compress: true }),
      'it has more than 200 MB when it is unpacked',
    ],
    [
      'laughs.docx',
      docx([['', '&l9;']], { doctype: `<!DOCTYPE d [<!ENTITY l0 "lol">${laughs}]>` }),
      'it is damaged, or it is not a Word document',
    ],
    ['long.pdf', pdf(['x'], { pages: 10_000 }), 'it has 10,000 pages, and at most 2,000 are read'],
    ['locked.pdf', pdf(['x'], { locked: true }), 'it is locked with a password'],
    ['scan.pdf', pdf(['']), 'its pages have no text, as those of a scan'],
    [
      'old.xlsx',
      Buffer.from('d0cf11e0a1b11ae100', 'hex'),
      'it is locked with a password, or in a format of Office before 2007: save it in the newer one',
    ],
    ['deep.html', `${'<div>'.repeat(100_000)}x`, 'its parts are nested too deeply'],
    ['long.csv', 'word,'.repeat(3_000_000), 'it has more than 10 MB of text'],
    ['empty.pdf', '', 'it is damaged, or it is not a PDF'],
    ['text.docx', 'Hello', 'it is damaged, or it is not a Word document'],
    ['cut.docx', docx([['', 'x']]).subarray(0, 500), 'it is damaged, or it is not a Word document'],
    ['sheet.docx', xlsx([]), 'it is damaged, or it is not a Word document'],
    ['word.pptx', docx([['', 'x']]), 'it is damaged, or it is not a PowerPoint presentation'],
    ['page.eml', '<p>Hello', 'it is not a mail: it has no sender, subject and date'],
    [
      'a page',
      pdf(['x']),
      'it is damaged, or it is not an Excel workbook',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    ['program.exe', 'MZ', 'application/octet-stream is no type that is read', 'application/octet-stream'],
    ['a.png', 'x', 'image/png is no type that is read', 'image/png'],
    ['nul.md', 'a\0b', 'it is not text in UTF-8'],
  ];
  const found = await stage.read(
    ...files.map(([name, content, , media_type]) => fileToRead(name, content, media_type)),
    fileToRead('good.csv', 'a,b'),
  );
  const reasons = Object.fromEntries(Object.entries(found).map(([name, one]) => [name, textOf(one)]));
  expect(reasons).toEqual({
    ...Object.fromEntries(files.map(([name, , reason]) => [name, reason])),
    'good.csv': '| a | b |\n| --- | --- |',
  });
  expect(await stage.containers()).toEqual([]);
}, 300_000);

test('what a file would run, fetch or hide is neither done nor kept', async () => {
  const found = await stage.read(
    fileToRead(
      'formula.xlsx',
      xlsx([[words('sum'), '<c><f>1+1</f><v>2</v></c>', '<c><f>WEBSERVICE("http://evil/")</f></c>']]),
    ),
    fileToRead(
      'macro.docm',
      docx([['', 'Hello']], { more: { 'word/vbaProject.bin': 'Sub AutoOpen() Shell("evil")' } }),
    ),
    fileToRead(
      'entity.docx',
      docx([['', 'before &x; after']], { doctype: '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>' }),
    ),
    fileToRead(
      'page.html',
      '<p>seen<script>evil()</script><p hidden>evil<p style="DISPLAY : none">evil<!-- evil --><img alt=evil src=http://evil/><iframe src=file:///etc/passwd>evil</iframe>',
    ),
  );
  expect(Object.values(found).map(textOf)).toEqual([
    '## Costs\n\n| sum | 2 |\n| --- | --- |',
    'Hello',
    'before after',
    'seen',
  ]);
}, 300_000);
