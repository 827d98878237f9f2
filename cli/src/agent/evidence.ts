// The service's evidence when an agent did not start, below the sentence of the refusal: the traceback of its import, or its last log
// lines. Other refusals have printed theirs while the run was watched.
import type { Problem } from '@gantry/contract/problems.ts';
import { faint, line, type View } from '../view/view.ts';

export function evidence({ fields }: Problem): View {
  const reason = memberOf(fields['reason'], 'traceback');
  const lines = typeof reason === 'string' ? reason.trimEnd().split('\n') : logLines(fields['log']);
  return lines.map((text) => line(faint('    │ '), text));
}

function logLines(log: unknown): string[] {
  if (!Array.isArray(log)) return [];
  return log.map((entry) => memberOf(entry, 'line')).filter((text) => typeof text === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
