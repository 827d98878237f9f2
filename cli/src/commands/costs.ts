import { costDimensions, type CostReport } from '@gantry/contract/costs.ts';
import { defineCommand, moment, text, toggle } from '../command.ts';
import { csv } from '@gantry/contract/csv.ts';
import { line, strong, table, verbatim } from '../view/view.ts';

export const command = defineCommand({
  words: 'costs',
  summary: 'What calls to models have cost: yours, those of agents that you may edit, of teams that you administer',
  needs: 'cost.read',
  examples: [
    'svc costs',
    'svc costs --by team,model --since 7d',
    'svc costs --by agent,day --agent greeter --csv > costs.csv',
  ],
  arguments: {},
  flags: {
    by: text(`How to split the sum, separated by commas: ${costDimensions.join(', ')} (default agent)`, 'dimensions'),
    since: moment('From this time on (default 30 days ago)'),
    until: moment('Up to this time'),
    agent: text('Only this agent', 'name'),
    model: text('Only this model', 'name'),
    tag: text('Only calls with this tag', 'tag'),
    run: text('Only this run of an agent, and the runs that it has called', 'id'),
    csv: toggle('As comma-separated values'),
  },
  async run({ csv: asCsv, ...given }, session) {
    const { team } = session.globals;
    const query = Object.fromEntries(Object.entries({ ...given, team }).filter(([, value]) => value !== undefined));
    const report = await session.call('costs.report', { query });
    const columns = [...report.by, 'usd', 'calls', 'input tokens', 'output tokens', 'estimated'];
    if (asCsv)
      return {
        data: report,
        view: [
          verbatim(
            csv(
              columns,
              report.rows.map((row) => cellsOf(report, row)),
            ),
          ),
        ],
      };
    return {
      data: report,
      view: [
        line(
          strong(`$${report.usd}`),
          ` for ${report.calls} calls from ${report.since.slice(0, 10)} to ${report.until.slice(0, 10)}`,
        ),
        table(
          columns,
          report.rows.map((row) => cellsOf(report, row)),
          'No calls in this time that you may see. A key calls models: svc key create',
        ),
      ],
    };
  },
});

function cellsOf(
  { by }: CostReport,
  { of, usd, calls, input_tokens, output_tokens, estimated_calls }: CostReport['rows'][number],
) {
  return [...by.map((name) => of[name] ?? '-'), usd, calls, input_tokens, output_tokens, estimated_calls];
}
