// The mail about runs that wait for a person. Must never happen: it has a word of what the run asks, of its thread, or of an answer.
import type { WaitingRun } from '@gantry/contract/agents/threads.ts';
import { letterOf, type Letter, type Where } from './compose.ts';
import type { RunsRow } from './store.ts';

const most_listed = 20;

/** At least one run. */
export function composeWaiting(row: RunsRow, waiting: readonly Omit<WaitingRun, 'interrupts'>[], where: Where): Letter {
  const runs = waiting.length === 1 ? 'A run' : `${waiting.length} runs`;
  const further = waiting.length - most_listed;
  return letterOf(
    row,
    {
      subject: `${row.asset} waits for your answer`,
      lines: [
        `${runs} of ${row.asset} ${waiting.length === 1 ? 'waits' : 'wait'} for your answer.`,
        '',
        ...waiting.slice(0, most_listed).map(printRun),
        ...(further > 0 ? [`${further} more`] : []),
        '',
        `Sign in to answer:   ${where.base_url}/inbox`,
        'Show them:           svc inbox',
      ],
    },
    where,
  );
}

function printRun({ thread, caller, is_own, orchestration, waiting_since }: Omit<WaitingRun, 'interrupts'>): string {
  const of = is_own ? 'your own' : `of ${caller}`;
  return `Thread ${thread}, ${of}${orchestration === null ? '' : ` in ${orchestration}`}, since ${waiting_since}`;
}
