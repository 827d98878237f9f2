import { costDimensions, type CostReport } from '@gantry/contract/models/costs.ts';
import { defineCommand, moment, text, toggle } from '../command.ts';
import { costCells, costColumns, costsCsv } from '@gantry/contract/models/costs-csv.ts';
import { count } from '../view/count.ts';
import { faint, line, strong, table, verbatim, type View } from '../view/view.ts';

export const command = defineCommand({
  words: 'costs',
  summary:
    'What calls to models and of tools have cost: yours, those of agents that you may edit, of teams whose costs you may read',
  needs: 'cost.read',
  examples: [
    'svc costs',
    'svc costs --by team,model --since 7d',
    'svc costs --by model,day --estimated',
    'svc costs --by tool --since 7d',
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
    estimated: toggle('Only calls whose cost is an estimate, because their provider gave no usage'),
    csv: toggle('As comma-separated values'),
  },
  async run({ csv: asCsv, estimated, ...given }, session) {
    const { team } = session.globals;
    const query = Object.fromEntries(
      Object.entries({ ...given, estimated: estimated ? 'true' : undefined, team }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const report = await session.call('costs.report', { query });
    // The rows are for another program; the notice is for its reader.
    if (asCsv && !report.whole.allowed) session.output.notice(report.whole.reason ?? 'You see a part of the costs.');
    if (asCsv) return { data: report, view: [verbatim(costsCsv(report))] };
    return {
      data: report,
      view: [
        ...partOf(report),
        ...sumOf(report),
        table(
          costColumns(report),
          costCells(report),
          report.whole.allowed
            ? 'No calls in this time. A key calls models: svc key create'
            : 'No calls in this time that you may see.',
        ),
      ],
    };
  },
});

/** A part of the costs is never shown as all of them. */
function partOf({ whole }: CostReport): View {
  if (whole.allowed) return [];
  const ask = whole.ask === undefined ? [] : [line(faint('ask: '), whole.ask)];
  return [line(whole.reason ?? 'You see a part of the costs.'), ...ask];
}

/** No sum of nothing for a reader who may not see it. */
function sumOf({ whole, usd, calls, since, until }: CostReport): View {
  if (!whole.allowed && calls === 0) return [];
  const seen = whole.allowed ? '' : ' that you may see,';
  return [
    line(strong(`$${usd}`), ` for ${count(calls, 'call')}${seen} from ${since.slice(0, 10)} to ${until.slice(0, 10)}`),
  ];
}
