// Structured logs: one JSON line per record on stdout. No code logs secrets; well-known names are redacted as a second protection.
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
    // PostgreSQL quotes the whole row in the detail.
    'err.detail',
  ];
  const redact = { paths, censor: '[redacted]' };
  return pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, redact }, destination ?? standardOutput());
}

// Lines are written at once and never buffered. So a full disk under the log neither ends the service nor delays its stop. Lines without
// space are lost. The first line after that has their number.
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
      return false; // the caller counts it
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
