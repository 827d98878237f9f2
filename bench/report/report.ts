import type { Row } from './row.ts';
import { markdownTable } from './table.ts';

export interface Section {
  name: string;
  rows: readonly Row[];
}

const introduction = `# Benchmarks

Written by \`npm run bench\`, on a separate real installation: real containers, the embedded PostgreSQL, the typed client. Each section has the
date and the machine of its run.

A goal is about the p50, or about its ratio to the p50 of the bare row. Absolute numbers depend on this machine and its other work. Compared rows were measured in turns, in one run.
`;

/** The page docs/reference/benchmarks.md: the page before, with these sections replaced or added. */
export function report(page: string, measured: readonly Section[], facts: readonly string[]): string {
  const sections = new Map(
    page
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [/^## (.*)$/m.exec(text)?.[1], text.trimEnd()] as const),
  );
  for (const { name, rows } of measured) sections.set(name, print(name, rows, facts));
  return `${[introduction.trimEnd(), ...sections.values()].join('\n\n')}\n`;
}

function print(name: string, rows: readonly Row[], facts: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  return `## ${name}\n\n${[`measured on ${date}`, ...facts].map((fact) => `- ${fact}`).join('\n')}\n\n${markdownTable(rows)}`;
}
