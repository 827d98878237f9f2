// What an interrupt asks, in the shapes that are in use: the human-in-the-loop middleware of langchain, the older one of its agent inbox, a choice,
// and anything else.
import { membersOf } from '../../parts/members-of.ts';

/** What a person can do with an action that the agent wants to take. */
export type Decision = 'approve' | 'edit' | 'reject' | 'respond' | 'ignore';

export interface AskedAction {
  name: string;
  args: Record<string, unknown>;
  description: string;
  decisions: readonly Decision[];
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

const all: readonly Decision[] = ['approve', 'edit', 'reject', 'respond'];

export function questionOf(value: unknown): Question {
  const { action_requests, review_configs, options, choices } = membersOf(value);
  if (Array.isArray(action_requests) && action_requests.length > 0) {
    const configs = (Array.isArray(review_configs) ? (review_configs as unknown[]) : []).map(membersOf);
    const actions = (action_requests as unknown[]).map((request) => requestedAction(membersOf(request), configs));
    return {
      kind: 'actions',
      actions,
      answer: (decided) => ({ decisions: decided.map((one, n) => decisionOf(one, actions[n])) }),
    };
  }
  const older = (Array.isArray(value) ? (value as unknown[]) : [value]).map(membersOf);
  if (older.length > 0 && older.every(({ action_request }) => 'action' in membersOf(action_request)))
    return { kind: 'actions', actions: older.map(olderAction), answer: (decided) => decided.map(olderAnswer) };
  const offered = [options, choices].find((one) => Array.isArray(one) && one.length > 0 && one.every(isText));
  if (offered !== undefined) return { kind: 'choice', value, options: offered as string[] };
  return { kind: 'open', value };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

function requestedAction(
  { name, args, arguments: given, description }: Record<string, unknown>,
  configs: readonly Record<string, unknown>[],
): AskedAction {
  const allowed = configs.find(({ action_name }) => action_name === name)?.['allowed_decisions'];
  const decisions = Array.isArray(allowed) ? all.filter((one) => allowed.includes(one)) : all.slice(0, 3);
  return { name: textIn(name), args: membersOf(args ?? given), description: textIn(description), decisions };
}

function decisionOf(decided: Decided, action: AskedAction | undefined): object {
  if (decided.decision === 'edit')
    return { type: 'edit', edited_action: { name: action?.name ?? '', args: decided.args } };
  if ('text' in decided) return { type: decided.decision, ...(decided.text !== '' && { message: decided.text }) };
  return { type: decided.decision };
}

function olderAction({ action_request, config, description }: Record<string, unknown>): AskedAction {
  const { action, args } = membersOf(action_request);
  const may = membersOf(config);
  const decisions = (
    [
      ['approve', 'allow_accept'],
      ['edit', 'allow_edit'],
      ['respond', 'allow_respond'],
      ['ignore', 'allow_ignore'],
    ] as const
  ).flatMap(([decision, name]) => (may[name] === true ? [decision] : []));
  return { name: textIn(action), args: membersOf(args), description: textIn(description), decisions };
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
