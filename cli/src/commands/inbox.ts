import { defineCommand, toggle } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import { actionLines } from '../thread/describe-questions.ts';
import { prose, table, time } from '../view/view.ts';

const longest_question = 200;

export const command = defineCommand({
  words: 'inbox',
  summary: 'What waits for your answer: your own runs, and those of others',
  needs: 'inbox.read',
  examples: ['svc inbox', 'svc inbox --own'],
  arguments: {},
  flags: { own: toggle('Only your own runs'), limit: limitFlag },
  async run({ own, limit }, session) {
    const waiting = await takePages(session, limit, (query) =>
      session.call('inbox.list', { query: own ? { ...query, own: 'true' } : query }),
    );
    const [first] = waiting;
    return {
      data: waiting,
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
          'Nothing waits for you.',
        ),
      ],
      next:
        first === undefined
          ? []
          : [
              {
                command: `svc answer ${first.agent.replace('agents/', '')} ${first.thread} '…'`,
                when: 'to answer the first one',
              },
            ],
    };
  },
});
