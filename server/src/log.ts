// Structured logs: one JSON line each on stdout. Secrets are never handed to it; known names are redacted all the same.
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
  return pino(
    { level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, redact },
    destination ?? pino.destination(1),
  );
}
