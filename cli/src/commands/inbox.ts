import { defineCommand, toggle } from '../command.ts';
import { afterAsks, describeAsks } from '../connections/describe-asks.ts';
import { describeCalls } from '../inbox/waiting-calls.ts';
import { limitFlag, takePages } from '../pages.ts';
import { afterQuestions, describeQuestions } from '../inbox/waiting-questions.ts';
import { actionLines } from '../thread/describe-questions.ts';
import { prose, table, time } from '../view/view.ts';

const longest_question = 200;

export const command = defineCommand({
  words: 'inbox',
  summary:
    'What waits for your answer: runs of agents, questions of servers, calls that you may approve, and agents that want to act as you',
  needs: 'inbox.read',
  examples: ['svc inbox', 'svc inbox --own'],
  arguments: {},
  flags: { own: toggle('Only your own runs'), limit: limitFlag },
  async run({ own, limit }, session) {
    const waiting = await takePages(session, limit, (query) =>
      session.call('inbox.list', { query: own ? { ...query, own: 'true' } : query }),
    );
    const calls = own ? [] : await takePages(session, limit, (query) => session.call('tool_calls.waiting', { query }));
    const questions = await takePages(session, limit, (query) => session.call('tool_questions.waiting', { query }));
    const { asks } = await session.call('connections.show', {});
    const [first] = waiting;
    const [call] = calls;
    return {
      data: [...waiting, ...calls, ...questions, ...asks.filter(({ agent }) => agent !== null)],
      view: [
        table(
          ['agent', 'thread', 'of', prose('asks'), 'since'],
          waiting.map(({ agent, thread, thread_id, caller, is_own, interrupts, waiting_since }) => [
            agent.replace('agents/', ''),
            thread_id ?? thread,
            is_own ? 'you' : caller,
            (actionLines(interrupts)?.join('; ') ?? JSON.stringify(interrupts.map(({ value }) => value))).slice(
              0,
              longest_question,
            ),
            time(waiting_since),
          ]),
          calls.length === 0 && questions.length === 0 ? 'Nothing waits for you.' : 'No run waits for you.',
        ),
        ...describeCalls(calls),
        ...describeQuestions(questions),
        ...describeAsks(asks),
      ],
      next: [
        ...(first === undefined
          ? []
          : [
              {
                command: `svc answer ${first.agent.replace('agents/', '')} ${first.thread} '…'`,
                when: 'to answer the first one',
              },
            ]),
        ...(call === undefined
          ? []
          : [
              { command: `svc answer ${call.id} approve`, when: 'to let the first call out once; `reject` refuses it' },
            ]),
        ...afterQuestions(questions),
        ...afterAsks(asks),
      ],
    };
  },
});
