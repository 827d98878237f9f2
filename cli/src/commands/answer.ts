import { agentArgument } from '../agent/agent-name.ts';
import { describeAnswer } from '../agent/invocation.ts';
import { defineCommand, optional, text, texts } from '../command.ts';
import { isId } from '@gantry/contract/wire.ts';
import { decideOnCall, isDecision } from '../inbox/waiting-calls.ts';
import { isReply, replyToQuestion } from '../inbox/waiting-questions.ts';
import { answerTo } from '../thread/answer-to.ts';
import { findThread, threadArgument } from '../thread/find-thread.ts';
import { line } from '../view/view.ts';

export const command = defineCommand({
  words: 'answer',
  summary:
    'Answer a run or a question of a server, or decide about a call of a tool; without an answer, continue an interrupted run',
  needs: 'asset.read',
  examples: [
    `svc answer desk order-12 yes`,
    `svc answer desk order-12 approve`,
    `svc answer desk order-12 '{"decisions":[{"type":"edit","edited_action":{"name":"refund","args":{"amount":5}}}]}'`,
    `svc answer desk order-12 '{"decisions":[{"type":"reject","message":"too much"}]}'`,
    `svc answer desk order-12`,
    `svc answer 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 approve`,
    `svc answer 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 reject --reason "too much for one day"`,
    `svc answer 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 accept --value name=Ada --value age=36`,
    `svc answer 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 decline`,
  ],
  arguments: {
    name: {
      ...agentArgument,
      summary: 'The agent: <name> or agents/<name>; or the id of a call or of a question that waits: svc inbox',
      read: (given, word) => (isId(given) ? given : agentArgument.read(given, word)),
    },
    thread: threadArgument,
    answer: optional(
      'A text, or JSON as the agent takes it. When it asks for a decision on its tools: approve, reject, or JSON',
    ),
  },
  flags: {
    state: text('Only if it still waits in this state: svc threads show', 'state'),
    value: texts('A value for a field of a question; repeatable', 'field=value'),
    reason: text('With the rejection of a call: a sentence for the agent', 'text'),
  },
  async run({ name, thread, answer, state, reason, value }, session) {
    // An agent can have such a name too. Only a call or a question has such a word in second place.
    if (isId(name) && answer === undefined && isDecision(thread))
      return await decideOnCall(session, { id: name, decision: thread, reason });
    if (isId(name) && answer === undefined && isReply(thread))
      return await replyToQuestion(session, { id: name, action: thread, given: value });
    const params = { name, thread: await findThread(session, name, thread) };
    const nameOf = async () => (await session.call('threads.show', { params })).thread_id;
    const response =
      answer === undefined
        ? await session.call('invoke.call', {
            params: { name },
            body: Buffer.from(JSON.stringify({ thread_id: await nameOf(), resume: null })),
          })
        : await session.call('threads.answer', {
            params,
            body: {
              value: (await answerTo(session, { name, thread, given: answer })) as never, // any JSON
              ...(state === undefined ? {} : { checkpoint_id: state }),
            },
          });
    const answered = (await response.json()) as Record<string, unknown>; // the wrapper's envelope is an object
    const run_id = String(answered['run_id']);
    if (answered['status'] === 'running')
      return {
        data: answered,
        view: [line(`${name} is running it: ${run_id}`)],
        next: [{ command: `svc invoke ${name} --run ${run_id}`, when: 'to see the result' }],
      };
    if (answered['status'] === 'answered')
      return { data: answered, view: [line(`${name} goes on with it, for its caller`)] };
    return { data: answered, view: describeAnswer(answered) };
  },
});
