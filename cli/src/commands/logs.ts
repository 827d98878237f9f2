import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { suggestAgent } from '../agent-name.ts';
import { defineCommand, moment, required, toggle, whole } from '../command.ts';
import type { Session } from '../session.ts';
import { bad, faint, line, type View } from '../view/view.ts';

export const command = defineCommand({
  words: 'logs',
  summary: "An agent's output",
  needs: 'deployment.read',
  examples: ['svc logs greeter', 'svc logs greeter -f --since 10m'],
  arguments: { name: required('The agent') },
  flags: {
    follow: toggle('Keep printing what comes', 'f'),
    since: moment('From this time on'),
    tail: whole('How many of the latest lines (200 unless told)', 'lines', { least: 0, most: 10_000 }),
  },
  async run({ name, follow, since, tail }, session) {
    const query = {
      follow: String(follow),
      ...(since === undefined ? {} : { since }),
      ...(tail === undefined ? {} : { tail }),
    };
    let printed = 0;
    let last_event_id: string | undefined;
    const stopped = new AbortController();
    using _taken = session.onInterrupt(() => stopped.abort()); // how one stops following, so no failure
    const { signal } = stopped;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const stream = await suggestAgent(session, name, () =>
        session.call(
          'agents.logs',
          { params: { name }, query },
          { signal, ...(last_event_id === undefined ? {} : { last_event_id }) },
        ),
      );
      try {
        for await (const { id, data } of stream) {
          [last_event_id, attempt] = [id ?? last_event_id, 0];
          printed += 1;
          session.output.event(data);
          session.output.show(describeLine(session, data));
        }
        if (!follow) break;
      } catch (error) {
        // A connection that breaks while following is made again and resumes where it was.
        if (signal.aborted) break;
        if (!follow || !(error instanceof TypeError)) throw error;
      }
      await delay(Math.min(5000, 250 * 2 ** attempt));
    }
    return {
      data: undefined,
      view:
        printed > 0 ? [] : [line(faint(`${name} has written nothing${since === undefined ? '' : ` since ${since}`}`))],
    };
  },
});

type LogStream = Answer<Endpoints['agents.logs']>;
type LogLine = LogStream extends AsyncIterable<{ data: infer Data }> ? Data : never;

function describeLine(session: Session, { at, stream, line: text }: LogLine): View {
  if (session.output.mode === 'plain') return [line(`${at} ${text}`)];
  return [line(faint(new Date(at).toLocaleTimeString('en-GB')), stream === 'stderr' ? bad(' │ ') : faint(' │ '), text)];
}
