// An agent as a model: clients of OpenAI call it with a key that names it. The holder of the key is the caller, with all that decides about a call
// of invoke. Chat Completions brings all messages and has no thread. A response names its thread.
import { randomUUIDv7 } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { findAgent } from '../../assets/registry/find.ts';
import type { KeyCaller, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import type { AgentModel, AgentModelCall, AgentModels } from '../../models/gateway/agents/agent-models.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { requireCallable } from '../deploy/serving/require-callable.ts';
import { admitFor } from '../invoke/admit-for.ts';
import type { Admitted } from '../invoke/admit.ts';
import { describeAgent } from '../invoke/describe-agent.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { nameThread } from '../invoke/turns.ts';
import { findOwn } from '../memory/threads/own-agent.ts';
import { answerStreamed } from './answer-streamed.ts';
import { answerWhole } from './answer-whole.ts';
import type { AskedOfAgent } from './asked.ts';
import type { Asking } from './asking.ts';
import { intoInput } from './into-input.ts';
import { readChat } from './read-chat.ts';
import { readResponses } from './read-responses.ts';

export function agentModels(ingress: Ingress): AgentModels {
  return {
    call: async (call) => await callAsModel(ingress, call),
    callable: async (key, names) => await callable(ingress, key, names),
  };
}

async function callAsModel(ingress: Ingress, call: AgentModelCall): Promise<Reply> {
  const admitted = await admitHolder(ingress, call.key, call.name);
  const takes = { lists_files: admitted.revision.files !== undefined };
  const asked = call.format === 'chat' ? readChat(call.sent, takes) : readResponses(call.sent, takes);
  call.signal.throwIfAborted();
  const asking: Asking = { call, asked, admitted, ...(await bodyOf(ingress, admitted, asked, call.signal)) };
  return asked.stream ? await answerStreamed(ingress, asking) : await answerWhole(ingress, asking);
}

/** Throws the refusals of invoke. */
async function admitHolder(ingress: Ingress, key: KeyCaller, name: string): Promise<Admitted> {
  const agent = await findAgent(ingress.db, name, null);
  if (agent === undefined) throw new Problem('not_found');
  return await admitFor(ingress, { caller_id: key.scope_id, agent_id: agent.id });
}

async function bodyOf(
  ingress: Ingress,
  admitted: Admitted,
  { said, thread }: AskedOfAgent,
  signal: AbortSignal,
): Promise<Pick<Asking, 'thread' | 'body'>> {
  const { agent, user, revision } = admitted;
  const { input_schema, keeps_threads } = await describeAgent(ingress, admitted, signal);
  const input = intoInput(agent.ref, input_schema, said);
  const isNew = thread?.name === undefined;
  if (!keeps_threads && !isNew)
    throw new Problem('invalid', {
      detail: `${agent.ref} keeps no threads, so nothing can be continued.`,
      hint: 'Send all messages as `input`.',
    });
  const name =
    !keeps_threads || thread === undefined || (isNew && thread.is_forgotten)
      ? undefined
      : (thread.name ?? randomUUIDv7());
  const waits =
    name !== undefined && !isNew && revision.kept_by_service
      ? (await findOwn(ingress.db, nameThread({ agent_id: agent.id, owner_id: user.id }, name)))?.waits
      : undefined;
  const body = waits === undefined || waits === null ? { input } : { resume: said.at(-1)?.content };
  return {
    thread: name,
    body: Buffer.from(JSON.stringify({ ...body, ...(name !== undefined && { thread_id: name }) })),
  };
}

async function callable(ingress: Ingress, key: KeyCaller, names: readonly string[]): Promise<AgentModel[]> {
  const user = await loadIdentity(ingress.db, key.scope_id, key.origin);
  if (user === undefined) return [];
  const found = await Promise.all(names.map(async (name) => await callableOne(ingress, user, name)));
  return found.flatMap((one) => one ?? []);
}

async function callableOne(ingress: Ingress, user: SignedInCaller, name: string): Promise<AgentModel | undefined> {
  const named = await findAgent(ingress.db, name, null);
  const { agent, serving } = named === undefined ? {} : await ingress.agents.member(user, named.id);
  if (agent === undefined) return undefined;
  try {
    requireCallable(user, agent, serving);
    return { name, team: agent.team.name, created_at: agent.created_at };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
