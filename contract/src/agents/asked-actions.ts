// Actions that an agent wants to take, as langchain's human-in-the-loop middleware asks a person about them. It asks about all actions of one step in
// one question, or (`interrupt_mode="per_call"`) about each in its own.
import type { Interrupt } from './threads.ts';

const decisions = ['approve', 'edit', 'reject', 'respond'] as const;
export type Decision = (typeof decisions)[number];

export interface AskedAction {
  name: string;
  args: Record<string, unknown>;
  /** Words of the agent's author. Empty for those of the middleware, which repeat name and arguments. */
  description: string;
  /** What the middleware takes for it. At least one. */
  allowed: readonly Decision[];
}

/** `is_list`: the answer has a decision for each action, in their order. Else it is the decision on the only one. */
export interface AskedActions {
  actions: readonly AskedAction[];
  is_list: boolean;
}

type Asked = Pick<Interrupt, 'id' | 'value' | 'response_schema'>;

/** Undefined for a question of another shape. */
export function actionsIn({ value, response_schema }: Asked): AskedActions | undefined {
  const { type, action_requests, review_configs } = membersOf(value);
  if (type === 'tool_approval')
    return complete([actionOf(membersOf(value), decisionsIn(response_schema))], { is_list: false });
  if (!Array.isArray(action_requests) || action_requests.length === 0 || !Array.isArray(review_configs))
    return undefined;
  const configs = review_configs.map(membersOf);
  const actions = action_requests.map(membersOf).map((request) => {
    const config = configs.find(({ action_name }) => action_name === request['name']);
    return actionOf(request, config?.['allowed_decisions']);
  });
  return complete(actions, { is_list: true });
}

/** The answer with these decisions, one for each action. */
export function answerWith({ is_list }: AskedActions, decided: readonly object[]): unknown {
  return is_list ? { decisions: decided } : decided[0];
}

/** An answer for each decision that all actions take. */
export function formsOf(asked: AskedActions): Map<Decision, unknown> {
  const forms: Record<Decision, (action: AskedAction) => object> = {
    approve: () => ({ type: 'approve' }),
    edit: ({ name, args }) => ({ type: 'edit', edited_action: { name, args } }),
    reject: () => ({ type: 'reject', message: 'why' }),
    respond: () => ({ type: 'respond', message: 'the answer instead' }),
  };
  const common = decisions.filter((one) => asked.actions.every(({ allowed }) => allowed.includes(one)));
  return new Map(common.map((one) => [one, answerWith(asked, asked.actions.map(forms[one]))]));
}

/** Each question with its answer, or a sentence with the fault. Several are answered by their ids, and some of them may go on waiting. */
export function answersTo<Question extends Asked>(
  interrupts: readonly Question[],
  value: unknown,
): (readonly [Question, unknown])[] | string {
  const given = Object.entries(membersOf(value));
  if (given.length > 0 && given.every(([id]) => /^[0-9a-f]{32}$/.test(id))) {
    const answers = given.map(([id, answer]) => [interrupts.find((one) => one.id === id), answer] as const);
    const unknown = answers.findIndex(([of]) => of === undefined);
    if (unknown !== -1) return `No question that waits has the id ${given[unknown]?.[0]}.`;
    return answers.flatMap(([of, answer]) => (of === undefined ? [] : [[of, answer] as const]));
  }
  const [only] = interrupts;
  if (interrupts.length === 1 && only !== undefined) return [[only, value]];
  return `${count(interrupts.length, 'question')} wait. Each is answered by its id: {"<id>": …}`;
}

/** The reason why the middleware would fail on the answers; undefined for ones that it takes, and for questions of another shape. */
export function faultIn(interrupts: readonly Asked[], value: unknown): string | undefined {
  if (interrupts.every((one) => actionsIn(one) === undefined)) return undefined;
  const answers = answersTo(interrupts, value);
  if (typeof answers === 'string') return answers;
  for (const [asked, answer] of answers) {
    const actions = actionsIn(asked);
    const fault = actions === undefined ? undefined : faultOf(actions, answer);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf({ actions, is_list }: AskedActions, answer: unknown): string | undefined {
  const given = is_list ? membersOf(answer)['decisions'] : [answer];
  if (!Array.isArray(given)) return 'The answer needs `decisions`: a list with one for each action.';
  if (given.length !== actions.length)
    return `${count(actions.length, 'action')} in this order: ${actions.map(({ name }) => name).join(', ')}. The answer has ${count(given.length, 'decision')}.`;
  for (const [index, action] of actions.entries()) {
    const fault = faultOfDecision(action, membersOf(given[index]));
    if (fault !== undefined) return actions.length === 1 ? fault : `Action ${index + 1}: ${fault}`;
  }
  return undefined;
}

function faultOfDecision({ name, allowed }: AskedAction, decision: Record<string, unknown>): string | undefined {
  const { type, message, edited_action } = decision;
  if (!allowed.some((one) => one === type))
    return `${name} takes ${either(allowed)}${typeof type === 'string' ? `, not ${type.slice(0, 50)}` : ' as `type` of a decision'}.`;
  if (type === 'edit') {
    const edited = membersOf(edited_action);
    // The middleware would fail on a name of no tool, and run one that nobody has asked about.
    if (edited['name'] !== name) return `An edit keeps the tool: \`edited_action.name\` is ${name}.`;
    if (!isObject(edited['args'])) return 'An edit has all arguments: `edited_action.args` is an object.';
  }
  if (type === 'respond' && typeof message !== 'string') return 'A response has its text in `message`.';
  if (type === 'reject' && message !== undefined && typeof message !== 'string') return 'The `message` is a text.';
  return undefined;
}

/** A question whose actions take nothing that is known here has another shape. */
function complete(actions: AskedAction[], { is_list }: { is_list: boolean }): AskedActions | undefined {
  return actions.every(({ name, allowed }) => name !== '' && allowed.length > 0) ? { actions, is_list } : undefined;
}

function actionOf({ name, args, description }: Record<string, unknown>, allowed: unknown): AskedAction {
  return {
    name: textIn(name),
    args: membersOf(args),
    description: ownWords(textIn(description)),
    allowed: Array.isArray(allowed) ? decisions.filter((one) => allowed.includes(one)) : [],
  };
}

/** The middleware writes them before the name and the arguments of the tool, unless the author has written all of it. */
function ownWords(description: string): string {
  const [words = ''] = description.split('\n\nTool: ');
  return words === 'Tool execution requires approval' ? '' : words;
}

/** Each is an object of the schema whose `type` is a constant. */
function decisionsIn(schema: unknown): unknown[] {
  const { $defs, oneOf } = membersOf(schema);
  const forms: unknown[] = Array.isArray(oneOf) ? oneOf : [schema];
  return forms.map((form) => {
    const { $ref } = membersOf(form);
    const found = typeof $ref === 'string' ? membersOf($defs)[$ref.replace('#/$defs/', '')] : form;
    return membersOf(membersOf(membersOf(found)['properties'])['type'])['const'];
  });
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? { ...(value as object) } : {});
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');
const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;
/** `approve, edit or reject`. */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
