import type { Row } from './row.ts';
import { markdownTable } from './table.ts';

/** The page docs/reference/benchmarks.md. */
export function report(rows: readonly Row[], facts: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  return `# Benchmarks

Written by \`npm run bench\` on ${date}, on a real installation of its own: real containers, the embedded PostgreSQL, the client as it is typed.

${facts.map((fact) => `- ${fact}`).join('\n')}

A goal is about the p50, or about its ratio to that of the bare thing beside it. Absolute numbers belong to this machine and what else it did meanwhile; what is compared with each
other took turns in one run.

${markdownTable(rows)}
`;
}
