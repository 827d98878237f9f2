import type { Row } from './row.ts';
import { markdownTable } from './table.ts';

/** The page docs/reference/benchmarks.md. */
export function report(rows: readonly Row[], facts: readonly string[]): string {
  const date = new Date().toISOString().slice(0, 10);
  return `# Benchmarks

Written by \`npm run bench\` on ${date}, on a separate real installation: real containers, the embedded PostgreSQL, the real client.

${facts.map((fact) => `- ${fact}`).join('\n')}

A target applies to the p50. Absolute figures belong to this machine and its load at that time. Compared figures
come from turns in one run.

${markdownTable(rows)}
`;
}
