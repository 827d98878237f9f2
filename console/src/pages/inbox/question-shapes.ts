// What an interrupt asks, in the shapes that are in use: the human-in-the-loop middleware of langchain, the older one of its agent inbox, a choice,
// and anything else.
import {
  actionsIn,
  answerWith,
  type AskedAction as Asked,
  type Decision as Known,
} from '@gantry/contract/agents/asked-actions.ts';
import type { Interrupt } from '@gantry/contract/agents/threads.ts';
import { membersOf } from '../../parts/members-of.ts';

/** What a person can do with an action that the agent wants to take. */
export type Decision = Known | 'ignore';

export interface AskedAction extends Omit<Asked, 'allowed'> {
  allowed: readonly Decision[];
}

/** One decision of a person on one action. */
export type Decided =
  | { decision: 'approve' | 'ignore' }
  | { decision: 'edit'; args: Record<string, unknown> }
  | { decision: 'reject' | 'respond'; text: string };

export type Question =
  | { kind: 'actions'; actions: readonly AskedAction[]; answer: (decided: readonly Decided[]) => unknown }
  | { kind: 'choice'; value: unknown; options: readonly string[] }
  | { kind: 'open'; value: unknown };

export function questionOf(interrupt: Interrupt): Question {
  const asked = actionsIn(interrupt);
  if (asked !== undefined)
    return {
      kind: 'actions',
      actions: asked.actions,
      answer: (decided) =>
        answerWith(
          asked,
          decided.map((one, n) => decisionOf(one, asked.actions[n])),
        ),
    };
  const { value } = interrupt;
  const { options, choices } = membersOf(value);
  const older = (Array.isArray(value) ? (value as unknown[]) : [value]).map(membersOf);
  if (older.length > 0 && older.every(({ action_request }) => 'action' in membersOf(action_request)))
    return { kind: 'actions', actions: older.map(olderAction), answer: (decided) => decided.map(olderAnswer) };
  const offered = [options, choices].find((one) => Array.isArray(one) && one.length > 0 && one.every(isText));
  if (offered !== undefined) return { kind: 'choice', value, options: offered as string[] };
  return { kind: 'open', value };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

function decisionOf(decided: Decided, action: Asked | undefined): object {
  if (decided.decision === 'edit')
    return { type: 'edit', edited_action: { name: action?.name ?? '', args: decided.args } };
  if ('text' in decided) return { type: decided.decision, ...(decided.text !== '' && { message: decided.text }) };
  return { type: decided.decision };
}

function olderAction({ action_request, config, description }: Record<string, unknown>): AskedAction {
  const { action, args } = membersOf(action_request);
  const may = membersOf(config);
  const allowed = (
    [
      ['approve', 'allow_accept'],
      ['edit', 'allow_edit'],
      ['respond', 'allow_respond'],
      ['ignore', 'allow_ignore'],
    ] as const
  ).flatMap(([decision, name]) => (may[name] === true ? [decision] : []));
  return { name: textIn(action), args: membersOf(args), description: textIn(description), allowed };
}

function olderAnswer(decided: Decided): object {
  if (decided.decision === 'edit') return { type: 'edit', args: { args: decided.args } };
  if ('text' in decided) return { type: 'response', args: decided.text };
  return { type: decided.decision === 'ignore' ? 'ignore' : 'accept', args: null };
}

/** The sentence of a question in free form, where it has one. */
export function sentenceOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const members = membersOf(value);
  return ['question', 'message', 'prompt', 'description', 'text'].map((name) => members[name]).find(isText);
}
