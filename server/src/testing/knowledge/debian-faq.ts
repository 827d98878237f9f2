// The FAQ of Debian, from its package (setup/test-programs.js): questions of people, and the texts that answer them. Its copyright permits verbatim copies; the
// repository has none.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

export interface Answered {
  /** The number of its section. */
  path: string;
  question: string;
  /** Without the question, so that its words are no help. */
  answer: string;
}

const file = '/usr/share/doc/debian/FAQ/debian-faq.en.txt.gz';

export async function debianFaq(): Promise<Answered[]> {
  const text = gunzipSync(await readFile(file))
    .toString()
    .replaceAll('\u00A0', ' ');
  const body = text.slice(text.indexOf('\nChapter 1. ', text.indexOf('Table of Contents')));
  return body
    .split(/\n(?=\d+(?:\.\d+)+\. )/)
    .slice(1)
    .flatMap((section) => {
      const [, path = '', heading = '', rest = ''] = /^([\d.]+)\. ([^]*?)\n\n([^]*)$/.exec(section) ?? [];
      const question = heading.replaceAll(/\s+/g, ' ');
      // A reference to another section names its question.
      const answer = rest
        .replace(/\nChapter \d+\. [^]*$/, '')
        .replaceAll(/“[^”]*”/g, '')
        .trim();
      return question.endsWith('?') && answer.length > 80 ? [{ path, question, answer }] : [];
    });
}
