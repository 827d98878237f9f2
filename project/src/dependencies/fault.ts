import type { Finding, FindingCode } from '../finding.ts';

/** A finding at a line of a file; an error unless `severity` says otherwise. */
export function fault(
  place: { file: string; line?: number },
  code: FindingCode,
  message: string,
  more: { severity?: Finding['severity']; suggestion?: string } = {},
): Finding {
  return { code, severity: 'error', message, file: place.file, line: place.line ?? 1, column: 1, pointer: '', ...more };
}
