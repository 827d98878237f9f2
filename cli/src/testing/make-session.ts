import { readConfig } from '../config.ts';
import { createOutput } from '../output.ts';
import { createSession, type Session } from '../session/session.ts';
import { freshHome } from './run-svc.ts';

/** A signed-in session for this server, whose output is discarded. */
export function makeSession(url: string): Session {
  const nowhere = { write: () => true };
  return createSession({
    config: readConfig({ HOME: freshHome(), SERVICE_API_TOKEN: 'token' }),
    output: createOutput({ json: false, no_color: true, stdout: nowhere, stderr: nowhere }),
    globals: { json: false, no_input: true, server: url, team: undefined },
    interrupts: { signal: new AbortController().signal, onInterrupt: () => ({ [Symbol.dispose]: () => {} }) },
  });
}
