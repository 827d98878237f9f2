// Reads a run's events to the end, across lost connections. Each reconnect resumes after the last event received (Last-Event-ID), so each
// event comes exactly once.
import { setTimeout as delay } from 'node:timers/promises';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { isPassing } from './is-passing.ts';

export interface RunToFollow {
  events: 'deployments.events' | 'pushes.events' | 'refreshes.events';
  id: string;
  signal: AbortSignal;
  /** How long the service may be unreachable before the client gives up; the run itself continues. */
  patience_milliseconds?: number;
}

/** Resolves with the closing event. */
export async function followRun(
  session: Session,
  run: RunToFollow,
  onEvent: (event: RunEvent) => void,
): Promise<RunEvent> {
  const patience = run.patience_milliseconds ?? 60_000;
  let last_event_id: string | undefined;
  let lastContact = Date.now();
  for (let attempt = 0; ; attempt++) {
    try {
      const stream = await session.call(
        run.events,
        { params: { id: run.id } },
        { signal: run.signal, ...(last_event_id === undefined ? {} : { last_event_id }) },
      );
      for await (const { id, data } of stream) {
        [last_event_id, lastContact, attempt] = [id ?? String(data.seq), Date.now(), 0];
        onEvent(data);
        if (data.kind === 'end') return data;
      }
    } catch (error) {
      if (run.signal.aborted || !isPassing(error)) throw error;
    }
    if (Date.now() - lastContact > patience) {
      throw new CliRefusal('connection_lost', 'The service stopped answering; its work may continue', {
        hint: `Run \`svc server status\`, then ${afterLoss(run)}`,
      });
    }
    await delay(Math.min(5000, 200 * 2 ** attempt), undefined, { signal: run.signal });
  }
}

function afterLoss({ events, id }: RunToFollow): string {
  if (events === 'deployments.events') return `\`svc deployments watch ${id}\`.`;
  if (events === 'refreshes.events') return '`svc kb snapshots <name>`; the refresh goes on.';
  return 'the same command again; nothing is pushed twice.';
}
