import { agentArgument } from '../agent/agent-name.ts';
import { defineCommand, moment, text, toggle, whole } from '../command.ts';
import { describeLogLine } from '../run/describe-log-line.ts';
import { readLogs } from '../run/read-logs.ts';
import { faint, line } from '../view/view.ts';

const most_lines = 50_000;

export const command = defineCommand({
  words: 'logs',
  summary: "An agent's output: JSON lines as level, message and the rest; --json prints each line unchanged",
  needs: 'deployment.read',
  examples: [
    'svc logs greeter',
    'svc logs greeter -f --since 10m',
    'svc logs greeter --request 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
  ],
  arguments: { name: agentArgument },
  flags: {
    follow: toggle('Keep printing new lines', 'f'),
    since: moment('From this time on'),
    request: text('Only the lines with this id, of a run or a trace', 'id'),
    tail: whole('The number of latest lines (default 200)', 'lines', { least: 0, most: most_lines }),
  },
  async run({ name, follow, since, tail, request }, session) {
    const query = {
      follow: String(follow),
      ...(since === undefined ? {} : { since }),
      ...(tail === undefined ? (request === undefined ? {} : { tail: most_lines }) : { tail }),
    };
    const stopped = new AbortController();
    using _taken = session.onInterrupt(() => stopped.abort()); // the normal end of following
    let printed = 0;
    for await (const each of readLogs(session, { name, follow, query, signal: stopped.signal })) {
      if (request !== undefined && !each.line.includes(request)) continue;
      printed += 1;
      session.output.event(each);
      session.output.show([describeLogLine(each, session.output.mode)]);
    }
    return {
      data: undefined,
      view:
        printed > 0 ? [] : [line(faint(`${name} has written nothing${since === undefined ? '' : ` since ${since}`}`))],
    };
  },
});
