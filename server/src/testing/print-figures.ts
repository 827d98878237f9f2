/** The measurements of a long test, for the page docs/reference/long-tests.md. */
export function printFigures(of: string, figures: Record<string, unknown>): void {
  process.stderr.write(`figures of ${of}: ${JSON.stringify(figures)}\n`);
}
