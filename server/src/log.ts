// Structured logs: one JSON line each on stdout. Secrets are never handed to it; known names are redacted all the same.
import { pino, type Logger } from 'pino';

export type Log = Logger;

export function openLog(level: string): Log {
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
  return pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '[redacted]' } });
}
