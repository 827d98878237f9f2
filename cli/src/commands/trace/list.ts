import { spanStatuses } from '@gantry/contract/models/traces.ts';
import { optionalAgent } from '../../agent/agent-name.ts';
import { choice, defineCommand, moment, text, whole } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { printMs } from '../../trace/describe-trace.ts';
import { bad, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'trace list',
  summary: 'Calls to agents, deploys and calls to models without a run, newest first',
  needs: 'trace.read',
  examples: ['svc trace list greeter', 'svc trace list --since 1h --status error --min-ms 2000'],
  arguments: { agent: optionalAgent('Only this agent') },
  flags: {
    run: text('Only this run or deploy', 'id'),
    since: moment('From this time on'),
    status: choice('Only these', spanStatuses),
    minMs: whole('Only those that took this long', 'ms', { least: 0, most: 86_400_000 }),
    limit: limitFlag,
  },
  async run({ limit, minMs: min_duration_ms, ...given }, session) {
    const query = {
      ...given,
      ...(min_duration_ms === undefined ? {} : { min_duration_ms }),
    };
    const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const traces = await takePages(session, limit, (page) =>
      session.call('traces.list', { query: { ...page, ...filter } }),
    );
    return {
      data: traces,
      view: [
        table(
          ['trace', 'span', 'agent', 'started', 'took', 'tokens in', 'out', 'usd', 'error'],
          traces.map((each) => [
            each.trace_id,
            each.name,
            each.agent,
            time(each.started_at),
            printMs(each.duration_ms),
            each.input_tokens,
            each.output_tokens,
            each.usd,
            each.status === 'error' ? bad(each.error ?? 'error') : null,
          ]),
          'No traces that you may read match. Call an agent: svc invoke greeter "hello"',
        ),
      ],
      next: traces.length === 0 ? [] : [{ command: 'svc trace show <trace>', when: 'to see its spans' }],
    };
  },
});
