import type { Finding } from '@gantry/project/finding.ts';
import { bad, faint, strong, line, warn, type Text, type View } from '../view/view.ts';

/** `agent.yaml:3:7  error  …`, with the fix below. */
export function describeFindings(findings: readonly Finding[]): View {
  return findings.flatMap(({ file, line: row, column, severity, message, suggestion, code }) => [
    line(strong(`${file}:${row}:${column}`), '  ', severitySign(severity), `  ${message}`, faint(`  ${code}`)),
    ...(suggestion === undefined ? [] : [line('    → ', suggestion)]),
  ]);
}

function severitySign(severity: Finding['severity']): Text {
  return { error: bad('error'), warning: warn('warning'), notice: faint('notice') }[severity];
}
