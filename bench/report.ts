import type { Row } from './row.ts';
import { markdownTable } from './table.ts';

/** The page docs/reference/benchmarks.md. */
export function report(rows: readonly Row[], facts: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  return `# Benchmarks

Written by \`npm run bench\` on ${date}, on a separate real installation: real containers, the embedded PostgreSQL, the typed client.

${facts.map((fact) => `- ${fact}`).join('\n')}

A goal is about the p50, or about its ratio to the p50 of the bare row. Absolute numbers depend on this machine and its other work. Compared rows were measured in turns, in one run.

${markdownTable(rows)}
`;
}
