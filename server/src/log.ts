// Structured logs: one JSON line each on stdout. Secrets are never handed to it; known names are redacted all the same.
import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

export function openLog(level: string, destination?: DestinationStream): Log {
  const paths = [
    'password',
    'old_password',
    'new_password',
    'token',
    'authorization',
    'secret',
    '*.password',
    '*.token',
    '*.secret',
    '*.authorization',
    // PostgreSQL quotes the whole row there.
    'err.detail',
  ];
  const redact = { paths, censor: '[redacted]' };
  return pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, redact }, destination ?? standardOutput());
}

// Written at once, and never kept for later: a full disk under the log ends no service and holds up no end of one. Lines for which there is
// no room are lost, and their number is the first line once there is.
function standardOutput(): DestinationStream {
  let lost = 0;
  let cut = false;
  const put = (line: string): boolean => {
    const bytes = Buffer.from(cut ? `\n${line}` : line);
    try {
      const written = writeSync(1, bytes);
      cut = written === 0 ? cut : written < bytes.length;
      return written === bytes.length;
    } catch {
      return false; // counted by whoever asked
    }
  };
  return {
    write: (line) => {
      if (
        lost > 0 &&
        put(`${JSON.stringify({ level: 40, time: new Date().toISOString(), lost, msg: 'lines were lost' })}\n`)
      )
        lost = 0;
      if (!put(line)) lost++;
    },
  };
}
