// The threats from threats.txt, by the numbers of the project's list. There a line `T1 …` is the promise. A line `= file: name` is a test
// that proves it. A line `! …` is an untested part with its reason.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Threat {
  number: string;
  promise: string;
  tests: { file: string; name: string }[];
  untried: string[];
}

export interface ThreatSection {
  title: string;
  threats: Threat[];
}

export async function threatSections(): Promise<ThreatSection[]> {
  const sections: ThreatSection[] = [];
  const text = await readFile(join(import.meta.dirname, 'threats.txt'), 'utf8');
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, mark = '', rest = ''] = /^(## |T\d+ | {2}= | {2}! )(.+)$/.exec(line) ?? [];
    const section = sections.at(-1);
    const threat = section?.threats.at(-1);
    if (mark === '## ') sections.push({ title: rest, threats: [] });
    else if (mark.startsWith('T'))
      section?.threats.push({ number: mark.trim(), promise: rest, tests: [], untried: [] });
    else if (mark === '  ! ') threat?.untried.push(rest);
    else if (mark === '  = ') threat?.tests.push(readTest(rest));
    else throw new Error(`threats.txt: ${line}`);
  }
  return sections;
}

export function readTest(text: string): { file: string; name: string } {
  const colon = text.indexOf(': ');
  return { file: text.slice(0, colon), name: text.slice(colon + 2) };
}
