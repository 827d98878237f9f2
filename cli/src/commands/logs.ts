import { logLevels } from '@gantry/contract/agents/log-entry.ts';
import { agentArgument } from '../agent/agent-name.ts';
import { choice, defineCommand, moment, text, toggle, whole } from '../command.ts';
import { describeLogLine } from '../run/describe-log-line.ts';
import { readLogs } from '../run/read-logs.ts';
import { faint, line } from '../view/view.ts';

const most_lines = 50_000;

export const command = defineCommand({
  words: 'logs',
  summary:
    "An agent's output, also of removed containers: JSON lines as level, message and the rest; --json prints each line unchanged",
  needs: 'deployment.read',
  examples: [
    'svc logs greeter',
    'svc logs greeter -f --since 10m',
    'svc logs greeter --revision 0190b2f4 --level warning --text "timed out"',
    'svc logs greeter --request 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
  ],
  arguments: { name: agentArgument },
  flags: {
    follow: toggle('Keep printing new lines', 'f'),
    since: moment('From this time on'),
    revision: text('Only of this revision: the first characters of its id', 'id'),
    instance: whole('Only of this instance of a revision, counted from 1', 'n', { least: 1, most: 1_000_000 }),
    level: choice('Only this level and the graver ones; a line without a level counts as info', logLevels),
    text: text('Only the lines with this text, in any case of letters', 'words'),
    request: text('Only the lines with this id, of a run or a trace', 'id'),
    tail: whole('The number of latest lines that fit (default 200)', 'lines', { least: 0, most: most_lines }),
  },
  async run({ name, follow, ...filters }, session) {
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    const query = { follow: String(follow), ...Object.fromEntries(given) };
    const stopped = new AbortController();
    using _taken = session.onInterrupt(() => stopped.abort()); // the normal end of following
    const sources = new Set<string>();
    for await (const each of readLogs(session, { name, follow, query, signal: stopped.signal })) {
      const source = `${each.revision.slice(0, 8)}/${each.instance ?? '-'}`;
      sources.add(source);
      session.output.event(each);
      const named = sources.size > 1 ? source : undefined;
      session.output.show([describeLogLine(each, { mode: session.output.mode, source: named })]);
    }
    const fits = given.length > 0 ? ' that fits' : '';
    return { data: undefined, view: sources.size > 0 ? [] : [line(faint(`${name} has written nothing${fits}`))] };
  },
});
