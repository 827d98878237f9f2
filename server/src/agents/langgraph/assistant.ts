// The agent as an assistant of langgraph's API. Its id is the id of the agent; its name is taken too.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { findVersion, versionsOf } from '../../assets/registry/find.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { Reader } from '../../ground/database/database.ts';
import { servingInputs, type ServingInput } from '../deploy/serving/serving-inputs.ts';
import { findCallable } from '../invoke/admit.ts';
import { askAgent } from '../invoke/ask.ts';
import { problemIn } from '../invoke/calls/outcome.ts';
import { describeAgent } from '../invoke/describe-agent.ts';
import type { Ingress } from '../invoke/ingress.ts';
import type { UpstreamCall } from '../invoke/upstream.ts';
import { notAnswered } from './not-answered.ts';

interface Asked {
  caller: Caller;
  name: string;
}

type Filter = {
  graph_id?: string | null | undefined;
  assistant_name?: string | null | undefined;
  metadata?: object | null | undefined;
};

const version_form = /^\d+\.\d+\.\d+$/;

/** Throws `not_found` for another agent, and `version_not_serving` for `<name>@<version>` of a version that is not the serving one. */
export async function requireAssistant(db: Reader, agent: AssetRecord, assistant: string): Promise<void> {
  const { id, name, ref } = agent;
  if (assistant === id || assistant === name) return;
  const version = assistant.startsWith(`${name}@`) ? assistant.slice(name.length + 1) : '';
  const found = version_form.test(version) ? await findVersion(db, id, version) : undefined;
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `This is the address of ${ref}. Its assistant is \`${name}\`, or ${id}.`,
    });
  const [serving] = await servingInputs(db, [id]);
  if (found.id !== serving?.version_id)
    throw new Problem('version_not_serving', {
      detail: `${ref}@${version} does not serve.`,
      hint: `Name \`${name}\` for the version that serves, or let this one serve: svc deploy ${ref}@${version}`,
    });
}

export async function showAssistant(
  db: Reader,
  { assistant, ...asked }: Asked & { assistant: string },
): Promise<Reply> {
  const { agent, serving } = await findAssistant(db, asked);
  await requireAssistant(db, agent, assistant);
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

/** The serving version first, and then the others, which cannot be called. */
export async function listVersions(
  db: Reader,
  { assistant, limit, offset, ...asked }: Asked & { assistant: string; limit: number; offset: number },
): Promise<Reply> {
  const { agent, serving } = await findAssistant(db, asked);
  await requireAssistant(db, agent, assistant);
  const printed = (await versionsOf(db, agent.id)).map(({ id, version, pushed_at }) => {
    const of = printAssistant(agent, serving);
    if (id === serving.version_id) return of;
    const named = { assistant_id: `${agent.name}@${version}`, created_at: pushed_at, updated_at: pushed_at };
    return { ...of, ...named, metadata: { version } };
  });
  const isServing = ({ metadata }: (typeof printed)[number]) => metadata.version === serving.version;
  const ordered = [...printed.filter(isServing), ...printed.filter((one) => !isServing(one))];
  return jsonReply(ordered.slice(offset, offset + limit));
}

/** Throws `agent_unavailable` while the agent is not ready. */
export async function showSchemas(
  ingress: Ingress,
  { caller, name, assistant, signal }: Asked & { assistant: string; signal: AbortSignal },
): Promise<Reply> {
  const callable = await findCallable(ingress.agents, caller, name);
  await requireAssistant(ingress.db, callable.agent, assistant);
  const { input_schema } = await describeAgent(ingress, callable.admit(), signal);
  const unknown = { output_schema: null, state_schema: null, config_schema: null, context_schema: null };
  return jsonReply({ graph_id: name, input_schema, ...unknown });
}

/** As the container of the agent draws it. Throws `agent_unavailable` while that is asleep or not ready. */
export async function showGraph(ingress: Ingress, { path, ...asked }: Drawing & { path: Drawn }): Promise<Reply> {
  const { caller, name, assistant, signal } = asked;
  const callable = await findCallable(ingress.agents, caller, name);
  await requireAssistant(ingress.db, callable.agent, assistant);
  const { status, body } = await askAgent(ingress, callable.admit(), { path, signal });
  if (status === 200) return { status, headers: { 'content-type': 'application/json' }, body };
  if (status === 404)
    throw notAnswered(`The graph of ${callable.agent.ref}, which is no graph or was built before this release,`);
  const { detail } = problemIn(body) ?? { detail: `The agent answered with ${status}.` };
  throw new Problem('agent_error', { detail });
}

type Drawing = Asked & { assistant: string; signal: AbortSignal };
type Drawn = Extract<UpstreamCall['path'], `/graph?${string}` | `/subgraphs?${string}`>;

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

function printAssistant({ id, name, description, created_at }: AssetRecord, { version, revision_id }: ServingInput) {
  return {
    assistant_id: id,
    graph_id: name,
    name,
    description,
    config: {},
    context: {},
    metadata: { version, revision_id } as { version: string; revision_id?: string },
    // A number in this API, and a version of ours is text. It is in the metadata.
    version: 1,
    created_at,
    updated_at: created_at,
  };
}
