// What a person types as an answer, in the form that the question takes. The human-in-the-loop middleware of langchain wants a decision for each
// action; a graph takes anything.
import { actionsIn, answerWith, faultIn, formsOf, type AskedActions } from '@gantry/contract/agents/asked-actions.ts';
import type { Interrupt } from '@gantry/contract/agents/threads.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** Throws `misused` with the form, when the middleware would not take the answer. */
export async function answerTo(
  session: Pick<Session, 'call'>,
  { name, thread, given }: { name: string; thread: string; given: string },
): Promise<unknown> {
  const interrupts = await questionsOf(session, { name, thread });
  const asked = interrupts.map((one) => actionsIn(one));
  if (!asked.every((one) => one !== undefined) || asked.length === 0) return valueOf(given);
  const value = given === 'approve' || given === 'reject' ? forAll(interrupts, asked, given) : valueOf(given);
  const fault = faultIn(interrupts, value);
  if (fault === undefined) return value;
  const actions = asked.flatMap((one) => one.actions);
  const said = actions.map((action) => `${action.name} ${JSON.stringify(action.args)}`).join(', ');
  throw misuse(
    `${name} asks before it takes ${actions.length === 1 ? 'an action' : `${actions.length} actions`}: ${said}. ${fault}`,
    `Answer it like one of these:\n${forms(interrupts, asked).join('\n')}`,
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

/** What the thread asks. Empty for a thread that waits for nobody: the service has the refusal. */
async function questionsOf(
  session: Pick<Session, 'call'>,
  { name, thread }: { name: string; thread: string },
): Promise<Interrupt[]> {
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await session.call('inbox.list', { query });
    const found = page.items.find(
      (one) => one.agent === `agents/${name}` && (one.thread === thread || one.thread_id === thread),
    );
    if (found !== undefined) return found.interrupts;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return [];
}

/** The same decision on each action. */
function forAll(interrupts: readonly Interrupt[], asked: readonly AskedActions[], type: string): unknown {
  return joined(
    interrupts,
    asked.map((one) =>
      answerWith(
        one,
        one.actions.map(() => ({ type })),
      ),
    ),
  );
}

/** langgraph takes the answers to several questions by their ids. */
function joined(interrupts: readonly Interrupt[], answers: readonly unknown[]): unknown {
  if (interrupts.length === 1) return answers[0];
  return Object.fromEntries(interrupts.map(({ id }, index) => [id, answers[index]]));
}

/** One for each decision that all actions take. */
function forms(interrupts: readonly Interrupt[], asked: readonly AskedActions[]): string[] {
  const each = asked.map(formsOf);
  const [first] = each;
  return [...(first?.keys() ?? [])]
    .filter((decision) => each.every((one) => one.has(decision)))
    .map((decision) => {
      const answer = joined(
        interrupts,
        each.map((one) => one.get(decision)),
      );
      return `${decision}: '${JSON.stringify(answer)}'`;
    });
}
