import { logLevels, writtenLevel, type LogLevel } from '@gantry/contract/agents/log-entry.ts';
import type { LogLine } from '../targets/target.ts';

export interface LogFilter {
  /** This level and the graver ones. A line without a level counts as info. */
  level?: LogLevel | undefined;
  /** In any case of letters. */
  text?: string | undefined;
  /** The id of a run or a trace. */
  request?: string | undefined;
}

export const isFiltered = ({ level, text, request }: LogFilter): boolean =>
  [level, text, request].some((each) => each !== undefined);

/** For the lines of one container. An indented line belongs to the line before it on its stream, such as a traceback to its error. */
export function lineFilter({ level, text, request }: LogFilter): (line: LogLine) => boolean {
  const lower = text?.toLowerCase();
  const gravity = level === undefined ? Infinity : logLevels.indexOf(level);
  const fits = ({ line }: LogLine): boolean =>
    (request === undefined || line.includes(request)) &&
    (lower === undefined || line.toLowerCase().includes(lower)) &&
    (level === undefined || logLevels.indexOf(writtenLevel(line) ?? 'info') <= gravity);
  const before = { stdout: false, stderr: false };
  return (line) => {
    const fit = fits(line);
    if (line.line.startsWith('  ')) return fit || before[line.stream];
    before[line.stream] = fit;
    return fit;
  };
}
