// What each call of a server has in common, whether it is of a tool, a prompt or a resource: arguments of a bounded size, a row before anything goes out, room under
// the limits, guardrails around it, a span, and an end that says whether the server may have done its work.
import { randomUUID } from 'node:crypto';
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { flowOf } from '@gantry/project/data-flow.ts';
import { digestOf } from '../../assets/registry/content.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { settings } from '../../people/principals/find.ts';
import type { ToolCaller } from './admit-call.ts';
import { RuleRefused } from './check-rules.ts';
import type { UsableServer } from './find-tools.ts';
import { guardedArguments, guardedTexts, guardTool } from './guarded-tool.ts';
import { beginCall } from './limits/begin-call.ts';
import type { ToolParts } from './parts.ts';
import { openToolSpan, type CountedQuestions } from './tool-span.ts';
import type { ServerConnection } from './upstream/connect.ts';
import { declined, type Answerer } from './upstream/server-questions.ts';
import * as store from './tool-call-store.ts';

export interface CallToRecord {
  caller: ToolCaller;
  user: EndCaller;
  usable: UsableServer;
  /** Of a prompt or a resource: the method of the protocol. */
  tool: string;
  /** Unset for what is no tool. */
  pinned?: ListedTool;
  arguments: Record<string, unknown>;
  trace: TraceContext;
  signal: AbortSignal;
}

/** A call that has its row. */
export interface BegunCall {
  id: string;
  /** As the guardrails let them go on. */
  arguments: Record<string, unknown>;
  limits: OrgSettings;
  /** To be called before the server can do its work: nobody knows from then on whether it has. */
  onSent: () => void;
  isSent: () => boolean;
  /** Asks on the connection, counts the questions of the server in the meantime, and bounds the size of the answer, without the credential. */
  ask: <Answer extends object | undefined>(
    connection: ServerConnection,
    asking: (answer: Answerer) => Promise<Answer>,
    /** To the questions; without it they are declined. */
    answer?: Answerer,
  ) => Promise<Answer>;
}

const decline: Answerer = async () => await Promise.resolve(declined);

/** Of a call that did not go out, these say that something failed, and nobody refused it. */
const faults: readonly string[] = ['server_unavailable', 'internal'];

/** Throws `too_large`, `too_many_requests`, `rate_limit_exceeded`, `guardrail_blocked`, and what `send` throws. */
export async function recordedCall<Answer extends object>(
  parts: ToolParts,
  asked: CallToRecord,
  send: (call: BegunCall) => Promise<Answer>,
): Promise<Answer> {
  const { db } = parts;
  const { usable, user, caller } = asked;
  const { server, upstream } = usable;
  const limits = await settings(db);
  if (Buffer.byteLength(JSON.stringify(asked.arguments)) > limits.tool_arguments_kb * 1024)
    throw new Problem('too_large', { detail: `The arguments have at most ${limits.tool_arguments_kb} kB.` });
  const agent = caller.kind === 'agent' ? caller : undefined;
  const id = randomUUID();
  const guarded = await guardTool(parts, { ...asked, ...limits, team: upstream.asset.team });
  const span = openToolSpan(parts.spans, { ...asked, server: server.name, user_id: user.id, call_id: id });
  let isSent = false;
  const read = agent?.run && { root_run_id: agent.run.root_run_id, ...flowOf(upstream.config, asked.pinned) };
  // A refusal of ours brings nothing of the server.
  const exposed = () => (isSent ? read : undefined);
  const questions: CountedQuestions = { accept: 0, decline: 0, cancel: 0 };
  try {
    await beginCall(parts, {
      id,
      rate: upstream.config.rate,
      at_once: limits.tool_calls_at_once,
      call: {
        agent_id: agent?.id ?? null,
        revision_id: agent?.revision_id ?? null,
        run_id: agent?.run?.run_id ?? null,
        caller_id: user.id,
        server: upstream.ref,
        server_version: server.version,
        tool: asked.tool,
        arguments_digest: digestOf(asked.arguments),
      },
    });
    const given = await guardedArguments(guarded, asked.arguments);
    if (given !== asked.arguments) await store.setArguments(db, id, digestOf(given));
    const answered = await send({
      id,
      arguments: given,
      limits,
      onSent: () => (isSent = true),
      isSent: () => isSent,
      ask: async (connection, asking, answer = decline) => {
        const counted: Answerer = async (form) => {
          const given = await answer(form);
          questions[given.action] += 1;
          return given;
        };
        const call = { answer: counted, onDeclined: () => (questions.decline += 1) };
        const answered = await connection.during(call, async () => await asking(counted));
        return answered && bounded(answered, { connection, of: upstream.ref, limits });
      },
    });
    const answer = await guardedTexts(guarded, answered);
    const isError = 'isError' in answer && answer.isError === true;
    await store.end(db, id, {
      outcome: isError ? 'error' : 'answered',
      result_digest: digestOf(answer),
      problem: null,
      exposes: exposed(),
    });
    span.end(isError ? 'tool_error' : null, { result: answer, done: guarded?.done, questions, read: exposed() });
    return answer;
  } catch (error) {
    const problem = error instanceof Problem ? error.code : 'internal';
    span.end(problem, { done: guarded?.done, questions, read: exposed() });
    const outcome = isSent || faults.includes(problem) ? 'failed' : 'refused';
    const rule = error instanceof RuleRefused ? error.rule : null;
    await store.end(db, id, { outcome, result_digest: null, problem, rule, exposes: exposed() });
    throw error;
  } finally {
    parts.open_calls.remove(id);
  }
}

function bounded<Answer extends object>(
  answer: Answer,
  {
    connection: { conceal },
    of,
    limits,
  }: { connection: ServerConnection; of: string; limits: Pick<OrgSettings, 'tool_result_kb'> },
): Answer {
  const text = JSON.stringify(answer);
  if (Buffer.byteLength(text) > limits.tool_result_kb * 1024)
    throw new Problem('server_unavailable', { detail: `${of} answered with more than ${limits.tool_result_kb} kB.` });
  const concealed = conceal(text);
  return concealed === text ? answer : (JSON.parse(concealed) as Answer); // the same with other texts
}
