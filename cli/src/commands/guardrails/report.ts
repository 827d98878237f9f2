import type { GuardrailReport } from '@gantry/contract/guardrails/report.ts';
import { optionalAgent, suggestAgent } from '../../agent/agent-name.ts';
import { defineCommand, moment } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { line, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'guardrails report',
  summary: 'What guardrails did with the calls of an agent, or with --team of a team that you administer',
  needs: 'guardrail.report',
  examples: [
    'svc guardrails report greeter --since 7d',
    'svc guardrails report --team sales --since 24h',
    'svc guardrails report agents/greeter --json',
  ],
  arguments: { name: optionalAgent('The agent: <name> or agents/<name>') },
  flags: {
    since: moment('From this time on (default 7 days ago; 90 days are kept)'),
    until: moment('Up to this time'),
  },
  async run({ name, since, until }, session) {
    // An agent is in one team, so its name is enough.
    const team = name === undefined ? session.globals.team : undefined;
    if (name === undefined && team === undefined)
      throw misuse('A report is about an agent or a team', 'Name an agent, or a team with --team.');
    const of = { agent: name, team, since, until };
    const query = Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
    const ask = async () => await session.call('guardrails.report', { query });
    const report = name === undefined ? await ask() : await suggestAgent(session, name, ask);
    return { data: report, view: [countsOf(report), ...blocksOf(report)] };
  },
});

const outcomes = ['checked', 'redacted', 'annotated', 'blocked', 'failed'] as const;

function countsOf({ counts, blocks }: GuardrailReport) {
  if (counts.length === 0 && blocks !== null && blocks.length > 0)
    return line('The counts of these calls are not in yet: guardrails are counted every 10 s.');
  const rows = [...Map.groupBy(counts, ({ rule, place }) => `${rule} ${place}`).values()];
  return table(
    ['guardrail', 'place', ...outcomes],
    rows.map((ones) => [
      ones[0]?.rule ?? '',
      ones[0]?.place ?? '',
      ...outcomes.map((name) => ones.find(({ outcome }) => outcome === name)?.count ?? 0),
    ]),
    'No guardrail ran in this time; they are counted every 10 s. Add some to agent.yaml: svc guardrails list',
  );
}

function blocksOf({ blocks }: GuardrailReport) {
  if (blocks === null) return [line('Only users with "write" on the agent see the blocked calls.')];
  if (blocks.length === 0) return [];
  return [
    table(
      ['blocked', 'guardrail', 'place', 'run', 'agent', 'key', 'reason'],
      blocks.map(({ at, rule, place, run_id, agent, key, reason }) => [
        time(at),
        rule,
        place,
        run_id,
        agent,
        key,
        reason,
      ]),
      '',
    ),
  ];
}
