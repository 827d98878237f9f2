import { setTimeout as delay } from 'node:timers/promises';
import { readAgentProblem } from '@gantry/contract/client/agent-problem.ts';
import { Problem, readProblem } from '@gantry/contract/problems.ts';
import { agentArgument, suggestAgent } from '../agent/agent-name.ts';
import { defineCommand, jsonObject, optional, settings, text, texts, toggle } from '../command.ts';
import { describeAnswer, readInput } from '../agent/invocation.ts';
import { misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { printStream } from '../agent/stream-answer.ts';
import { describeTrace } from '../trace/describe-trace.ts';
import { awaitTrace, hintAtTrace, startTrace, type CallTrace } from '../trace/traced-call.ts';
import { line } from '../view/view.ts';

export const command = defineCommand({
  words: 'invoke',
  summary: 'Call an agent: a text, or the JSON of its `input`',
  needs: 'asset.invoke',
  examples: [
    `svc invoke greeter "hello"`,
    `svc invoke greeter '{"message":"hi"}' --context '{"user":"ada"}'`,
    `svc invoke greeter - --stream < input.json`,
    `svc invoke greeter "hello" --trace`,
    `svc invoke greeter "What is this?" --file ./picture.png`,
  ],
  arguments: { name: agentArgument, input: optional('A text, JSON, or - to read either from stdin') },
  flags: {
    file: texts('Send this file with the text; repeatable', 'path'),
    stream: toggle('Print the answer while it is written'),
    async: toggle('Do not wait: print the id of the call'),
    thread: text('Continue this conversation; `new` begins one', 'id'),
    context: jsonObject('The `context` of the graph'),
    config: settings('A member of `config.configurable`, as JSON or text; repeatable'),
    run: text('Show the result of an earlier call instead', 'id'),
    trace: toggle('Show the trace of the call after its answer'),
  },
  async run(given, session) {
    const {
      name,
      input,
      file: files,
      stream,
      async: detached,
      thread,
      context,
      config,
      run,
      trace: shows_trace,
    } = given;
    if (run !== undefined) return result(await awaitRun(session, name, run, false), name);
    if (stream && detached) throw misuse('--stream and --async exclude each other');
    if (shows_trace && detached) throw misuse('--trace and --async exclude each other');
    const body = JSON.stringify({
      input: await suggestAgent(session, name, () => readInput(session, name, { given: input, files })),
      ...(context === undefined ? {} : { context }),
      ...(config === undefined ? {} : { config: { configurable: config } }),
      ...(thread === undefined ? {} : { thread_id: thread }),
    });
    const trace = startTrace();
    const answered = await suggestAgent(session, name, () =>
      hintAtTrace(trace, async () => {
        if (stream)
          return await printStream(
            session,
            await session.call(
              'invoke.stream',
              { params: { name }, body: Buffer.from(body) },
              { headers: { accept: 'text/event-stream', ...trace.headers } },
            ),
          );
        const response = await session.call(
          'invoke.call',
          { params: { name }, body: Buffer.from(body) },
          { headers: { ...trace.headers, ...(detached && { prefer: 'respond-async' }) } },
        );
        const answer = await readAnswer(response);
        if (response.status !== 202) return result(answer, name);
        return detached
          ? startedResult(answer, name)
          : result(await awaitRun(session, name, String(answer['run_id']), true), name);
      }),
    );
    return shows_trace ? await withTrace(session, trace, answered) : answered;
  },
});

async function withTrace(session: Session, called: CallTrace, { data, view, ...more }: Result): Promise<Result> {
  const trace = await awaitTrace(session, called);
  const shown =
    trace === undefined
      ? [line(`No trace yet: svc trace show ${called.id}`)]
      : describeTrace(trace, { content: false });
  return { ...more, data: { ...Object(data), trace: trace ?? null }, view: [...view, ...shown] };
}

export type AgentAnswer = Record<string, unknown>;

async function readAnswer(response: Response): Promise<AgentAnswer> {
  return (await response.json()) as AgentAnswer; // the wrapper's envelope is an object; its members are only shown
}

/** Repeats the question for the result of a call, until the call ends or until Ctrl-C. */
async function awaitRun(session: Session, name: string, run_id: string, wait: boolean): Promise<AgentAnswer> {
  const started = Date.now();
  for (;;) {
    const answer = await readAnswer(await session.call('invoke.run', { params: { name, run_id } }));
    if (!wait || answer['status'] !== 'running') return answer;
    session.output.progress(
      `… running for ${Math.round((Date.now() - started) / 1000)} s; Ctrl-C leaves it running as ${run_id}`,
    );
    await delay(1000, undefined, { signal: session.signal });
  }
}

function startedResult(answer: AgentAnswer, name: string): Result {
  const run_id = String(answer['run_id']);
  return {
    data: answer,
    view: [line(`${name} is running it: ${run_id}`)],
    next: [{ command: `svc invoke ${name} --run ${run_id}`, when: 'to see the result' }],
  };
}

function result(answer: AgentAnswer, name: string): Result {
  // A call that continued after 202 has its failure inside the answer; one with an immediate answer has a refusal.
  if (answer['status'] === 'failed' || answer['status'] === 'cancelled') {
    const error = readProblem(answer['error']) ?? readAgentProblem(answer['error']);
    throw error ?? new Problem('agent_error', { hint: `Run \`svc logs ${name}\`.` });
  }
  return { data: answer, view: describeAnswer(answer), next: followUps(answer, name) };
}

function followUps(answer: AgentAnswer, name: string): Result['next'] {
  const thread_id = answer['thread_id'];
  if (typeof thread_id !== 'string') return [];
  return answer['status'] === 'interrupted'
    ? [{ command: `svc answer ${name} ${thread_id} '…'`, when: 'to answer it' }]
    : [{ command: `svc invoke ${name} '…' --thread ${thread_id}`, when: 'to continue this conversation' }];
}
