// The mails about runs and calls that wait for a person. Must never happen: one has a word of what the run asks, of its thread, of an answer, an argument of a
// call, or what a server asks.
import type { WaitingRun } from '@gantry/contract/agents/threads.ts';
import { letterOf, type Letter, type Where } from './compose.ts';
import type { WaitingCallRow } from '../../agents/tools/approvals/list-waiting.ts';
import type { QuestionToTell } from '../../agents/tools/questions/list-questions.ts';
import type { CallsRow, QuestionsRow, RunsRow } from './store.ts';

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

/** At least one call. */
export function composeWaitingCalls(row: CallsRow, waiting: readonly WaitingCallRow[], where: Where): Letter {
  const further = waiting.length - most_listed;
  return letterOf(
    row,
    {
      subject: `${row.asset}: ${waiting.length === 1 ? 'a call waits' : `${waiting.length} calls wait`} for your decision`,
      lines: [
        `${waiting.length === 1 ? 'A call' : `${waiting.length} calls`} of the tools of ${row.asset} ${waiting.length === 1 ? 'waits' : 'wait'} for your decision.`,
        '',
        ...waiting.slice(0, most_listed).map(printCall),
        ...(further > 0 ? [`${further} more`] : []),
        '',
        `Read the arguments, and decide:   ${where.base_url}/inbox`,
        'Show them:                        svc inbox',
      ],
    },
    where,
  );
}

/** At least one question. No link leads to a form: the person signs in where they always do. */
export function composeWaitingQuestions(row: QuestionsRow, waiting: readonly QuestionToTell[], where: Where): Letter {
  const further = waiting.length - most_listed;
  return letterOf(
    row,
    {
      subject: `${row.asset} asks you something`,
      lines: [
        `${row.asset} asks you something in ${waiting.length === 1 ? 'a call' : `${waiting.length} calls`} made for you.`,
        '',
        ...waiting.slice(0, most_listed).map(printQuestion),
        ...(further > 0 ? [`${further} more`] : []),
        '',
        `Read the question, and answer:   ${where.base_url}/inbox`,
        'Show them:                       svc inbox',
      ],
    },
    where,
  );
}

function printQuestion({ tool, agent, asked_at, expires_at }: QuestionToTell): string {
  return `${tool}, by ${agent ?? 'yourself'}, since ${asked_at}, until ${expires_at}`;
}

function printCall({ tool, agent, caller, asked_at, expires_at }: WaitingCallRow): string {
  const by = agent === null ? caller : `${agent} for ${caller}`;
  return `${tool}, by ${by}, since ${asked_at}, until ${expires_at}`;
}

function printRun({ thread, caller, is_own, orchestration, waiting_since }: Omit<WaitingRun, 'interrupts'>): string {
  const of = is_own ? 'your own' : `of ${caller}`;
  return `Thread ${thread}, ${of}${orchestration === null ? '' : ` in ${orchestration}`}, since ${waiting_since}`;
}
