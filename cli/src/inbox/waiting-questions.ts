// Questions of MCP servers that wait for the person, in the inbox. Their texts are hostile, and are shown as they are.
import type { QuestionField, QuestionValues, WaitingQuestion } from '@gantry/contract/assets/tool-questions.ts';
import { misuse } from '../refusal.ts';
import type { Next, Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { takePages } from '../pages.ts';
import { bad, fields, good, line, strong, time, verbatim, type View } from '../view/view.ts';

export function describeQuestions(questions: readonly WaitingQuestion[]): View {
  return questions.flatMap((question) => [
    fields({
      question: strong(question.id),
      from: `${question.server}, in a call of ${question.tool} for you`,
      through: question.through.length === 0 ? null : question.through.join(' ← '),
      with: JSON.stringify(question.arguments),
      until: time(question.expires_at),
    }),
    ...(question.asks_for_secrets
      ? [line(bad('! '), 'It asks for a password, a key or a card. No server may ask for these here: decline it.')]
      : []),
    verbatim(question.message),
    ...question.fields.flatMap(describeField),
  ]);
}

function describeField(field: QuestionField): View {
  const { name, title, description, is_required } = field;
  const about = [title, description].filter((text) => text !== '').join(': ');
  const given = field.default === null ? '' : `, without a value ${JSON.stringify(field.default)}`;
  return [
    line('  ', strong(name), `  ${wants(field)}${is_required ? ', required' : ''}${given}`),
    ...(about === '' ? [] : [verbatim(`    ${about}`)]),
  ];
}

function wants(field: QuestionField): string {
  if (field.type === 'text') return field.format ?? 'text';
  if (field.type === 'choice' || field.type === 'choices') {
    const options = field.options.map(({ value, title }) => (title === value ? value : `${value} (${title})`));
    return `${field.type === 'choice' ? 'one' : 'some'} of ${options.join(', ')}`;
  }
  if (field.type === 'boolean') return 'true or false';
  const { type, minimum, maximum } = field;
  const bounds = [minimum === null ? '' : ` from ${minimum}`, maximum === null ? '' : ` to ${maximum}`].join('');
  return `${type}${bounds}`;
}

export function afterQuestions([first]: readonly WaitingQuestion[]): Next[] {
  if (first === undefined) return [];
  const values = first.fields.filter(({ is_required }) => is_required).map(({ name }) => ` --value '${name}=…'`);
  return [
    {
      command: `svc answer ${first.id} accept${values.join('')}`,
      when: 'to answer the server; `decline` gives it nothing',
    },
  ];
}

/** `accept` and `decline` of a question by its id; every other answer is for a call or a thread. */
export const isReply = (word: string): word is 'accept' | 'decline' => word === 'accept' || word === 'decline';

export async function replyToQuestion(
  session: Session,
  { id, action, given }: { id: string; action: 'accept' | 'decline'; given: readonly string[] },
): Promise<Result> {
  const values = action === 'accept' ? await readValues(session, id, given) : undefined;
  const data = await session.call('tool_questions.answer', {
    params: { id },
    body: { action, ...(values !== undefined && { values }) },
  });
  const { server, tool, agent } = data;
  const view =
    action === 'accept'
      ? line(
          good('✓ '),
          `${server} gets your answer once, when ${agent ?? 'you'} ${agent === null ? 'make' : 'makes'} this call of ${tool} again`,
        )
      : line(bad('✗ '), `The question of ${server} is declined`);
  return { data, view: [view] };
}

/** A field says how its value is read: `5` is a text for a text. */
async function readValues(session: Session, id: string, given: readonly string[]): Promise<QuestionValues> {
  const waiting = await takePages(session, 10_000, (query) => session.call('tool_questions.waiting', { query }));
  const asked = waiting.find((one) => one.id === id)?.fields ?? [];
  const values: QuestionValues = {};
  for (const each of given) {
    const at = each.indexOf('=');
    if (at < 1) throw misuse(`--value must be field=value, not "${each}"`);
    const [name, text] = [each.slice(0, at), each.slice(at + 1)];
    const field = asked.find((one) => one.name === name);
    const earlier = Object.hasOwn(values, name) ? values[name] : undefined;
    values[name] =
      field?.type === 'choices' ? [...(Array.isArray(earlier) ? earlier : []), text] : readValue(field?.type, text);
  }
  return values;
}

/** What is no value of the type goes as it is: the service says what is wrong with it. */
function readValue(type: QuestionField['type'] | undefined, text: string): QuestionValues[string] {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type !== 'number' && type !== 'integer') return text;
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}
