// What a person types as an answer, in the form that the question takes. The human-in-the-loop middleware of langchain wants a decision for each
// action; a graph takes anything.
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

interface Action {
  name: string;
  args: unknown;
  /** What the middleware takes for it. */
  allowed: readonly string[];
}

/** Throws `misused` with the form, when the middleware would not take the answer. */
export async function answerTo(
  session: Pick<Session, 'call'>,
  { name, thread, given }: { name: string; thread: string; given: string },
): Promise<unknown> {
  const value = valueOf(given);
  const actions = actionsIn(await questionOf(session, { name, thread }));
  if (actions === undefined) return value;
  const sole = typeof value === 'string' && ['approve', 'reject'].includes(value) ? value : undefined;
  const decisions = sole === undefined ? membersOf(value)['decisions'] : actions.map(() => ({ type: sole }));
  if (Array.isArray(decisions) && decisions.length === actions.length) {
    const types = decisions.map((one) => membersOf(one)['type']);
    if (actions.every(({ allowed }, n) => allowed.includes(String(types[n])))) return { decisions };
  }
  const asked = actions.map((action) => `${action.name} ${JSON.stringify(action.args)}`).join(', ');
  throw misuse(
    `${name} asks before it takes ${actions.length === 1 ? 'an action' : `${actions.length} actions`}: ${asked}`,
    `Answer it like one of these:\n${formsFor(actions).join('\n')}`,
  );
}

/** JSON, or the text itself. */
function valueOf(given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** The only question of the thread. Undefined for a thread that waits for nobody or asks more: the service has the refusal. */
async function questionOf(
  session: Pick<Session, 'call'>,
  { name, thread }: { name: string; thread: string },
): Promise<unknown> {
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await session.call('inbox.list', { query });
    const found = page.items.find(
      (one) => one.agent === `agents/${name}` && (one.thread === thread || one.thread_id === thread),
    );
    if (found !== undefined) return found.interrupts.length === 1 ? found.interrupts[0]?.value : undefined;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}

/** Undefined for a question of another shape. */
function actionsIn(question: unknown): Action[] | undefined {
  const { action_requests, review_configs } = membersOf(question);
  if (!Array.isArray(action_requests) || action_requests.length === 0 || !Array.isArray(review_configs))
    return undefined;
  const configs = review_configs.map(membersOf);
  return action_requests.map(membersOf).map(({ name, args }) => {
    const allowed = configs.find(({ action_name }) => action_name === name)?.['allowed_decisions'];
    return { name: String(name), args, allowed: Array.isArray(allowed) ? allowed.map(String) : [] };
  });
}

/** One for each decision that all actions take. */
function formsFor(actions: readonly Action[]): string[] {
  const forms: Record<string, (action: Action) => object> = {
    approve: () => ({ type: 'approve' }),
    edit: ({ name, args }) => ({ type: 'edit', edited_action: { name, args } }),
    reject: () => ({ type: 'reject', message: 'why' }),
    respond: () => ({ type: 'respond', message: 'the answer instead' }),
  };
  return Object.entries(forms)
    .filter(([type]) => actions.every(({ allowed }) => allowed.includes(type)))
    .map(([type, form]) => `${type}: '${JSON.stringify({ decisions: actions.map(form) })}'`);
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
