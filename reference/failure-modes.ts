// What can break, from failure-modes.txt. A line `F1 …` is a failure, `> …` what the user sees, `* …` what the service does by itself, `- …`
// what never happens, and `= file: name` a test of it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTest } from './threats.ts';

export interface Failure {
  number: string;
  what: string;
  seen: string;
  done: string;
  never: string;
  tests: { file: string; name: string }[];
}

export interface FailureSection {
  title: string;
  failures: Failure[];
}

const members = { '  > ': 'seen', '  * ': 'done', '  - ': 'never' } as const;

export async function failureSections(): Promise<FailureSection[]> {
  const sections: FailureSection[] = [];
  const text = await readFile(join(import.meta.dirname, 'failure-modes.txt'), 'utf8');
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, mark = '', rest = ''] = /^(## |F\d+ | {2}[>*=-] )(.+)$/.exec(line) ?? [];
    const section = sections.at(-1);
    const failure = section?.failures.at(-1);
    if (mark === '## ') sections.push({ title: rest, failures: [] });
    else if (mark.startsWith('F'))
      section?.failures.push({ number: mark.trim(), what: rest, seen: '', done: '', never: '', tests: [] });
    else if (failure !== undefined && mark === '  = ') failure.tests.push(readTest(rest));
    else if (failure !== undefined && mark in members) failure[members[mark as keyof typeof members]] = rest;
    else throw new Error(`failure-modes.txt: ${line}`);
  }
  return sections;
}
