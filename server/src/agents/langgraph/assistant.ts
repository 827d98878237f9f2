// The agent as an assistant of langgraph's API. Its id is the id of the agent; its name is taken too.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { Reader } from '../../ground/database/database.ts';
import { servingInputs, type ServingInput } from '../deploy/serving/serving-inputs.ts';
import { findCallable } from '../invoke/admit.ts';
import { describeAgent } from '../invoke/describe-agent.ts';
import type { Ingress } from '../invoke/ingress.ts';

interface Asked {
  caller: Caller;
  name: string;
}

type Filter = {
  graph_id?: string | null | undefined;
  assistant_name?: string | null | undefined;
  metadata?: object | null | undefined;
};

/** Throws `not_found` for the id of another agent. */
export function refuseOther({ id, name, ref }: AssetRecord, assistant: string): void {
  if (assistant !== id && assistant !== name)
    throw new Problem('not_found', {
      detail: `This is the address of ${ref}. Its assistant is \`${name}\`, or ${id}.`,
    });
}

export async function showAssistant(
  db: Reader,
  { assistant, ...asked }: Asked & { assistant: string },
): Promise<Reply> {
  const { agent, serving } = await findAssistant(db, asked);
  refuseOther(agent, assistant);
  return jsonReply(printAssistant(agent, serving));
}

export async function searchAssistants(
  db: Reader,
  { limit, offset, ...asked }: Asked & Filter & { limit: number; offset: number },
): Promise<Reply> {
  const { agent, serving } = await findAssistant(db, asked);
  const found = fits(agent, asked) ? [printAssistant(agent, serving)] : [];
  return jsonReply(found.slice(offset, offset + limit));
}

export async function countAssistants(db: Reader, asked: Asked & Filter): Promise<Reply> {
  const { agent } = await findAssistant(db, asked);
  return jsonReply(fits(agent, asked) ? 1 : 0);
}

/** The serving version alone: no other one can be called. */
export async function listVersions(
  db: Reader,
  { assistant, limit, offset, ...asked }: Asked & { assistant: string; limit: number; offset: number },
): Promise<Reply> {
  const { agent, serving } = await findAssistant(db, asked);
  refuseOther(agent, assistant);
  return jsonReply([printAssistant(agent, serving)].slice(offset, offset + limit));
}

/** Throws `agent_unavailable` while the agent is not ready. */
export async function showSchemas(
  ingress: Ingress,
  { caller, name, assistant, signal }: Asked & { assistant: string; signal: AbortSignal },
): Promise<Reply> {
  const callable = await findCallable(ingress.agents, caller, name);
  refuseOther(callable.agent, assistant);
  const { input_schema } = await describeAgent(ingress, callable.admit(), signal);
  const unknown = { output_schema: null, state_schema: null, config_schema: null, context_schema: null };
  return jsonReply({ graph_id: name, input_schema, ...unknown });
}

async function findAssistant(
  db: Reader,
  { caller, name }: Asked,
): Promise<{ agent: AssetRecord; serving: ServingInput }> {
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(signedIn(caller), 'asset.read', agent);
  const [serving] = await servingInputs(db, [agent.id]);
  if (serving === undefined) throw new Problem('not_deployed');
  return { agent, serving };
}

function fits({ name }: AssetRecord, { graph_id, assistant_name, metadata }: Filter): boolean {
  return (
    [graph_id, assistant_name].every((one) => one === undefined || one === null || one === name) &&
    Object.keys(metadata ?? {}).length === 0
  );
}

function printAssistant(
  { id, name, description, created_at }: AssetRecord,
  { version, revision_id }: ServingInput,
): object {
  return {
    assistant_id: id,
    graph_id: name,
    name,
    description,
    config: {},
    context: {},
    metadata: { version, revision_id },
    // A number in this API, and a version of ours is text. It is in the metadata.
    version: 1,
    created_at,
    updated_at: created_at,
  };
}
