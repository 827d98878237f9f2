// An assistant is the agent itself: its id is the name of the agent, or the id of the agent.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { name } from '../../wire.ts';
import { byAgent, members, ofAgent, offsets, root } from './of-agent.ts';

const byAssistant = z.strictObject({ name, assistant: z.string().max(200) });
const reading = { ...ofAgent, operation: 'asset.read', problems: ['not_deployed', 'version_not_serving'] } as const;
/** The container of the agent draws its graph. */
const looking = {
  ...reading,
  operation: 'asset.invoke',
  method: 'GET',
  params: byAssistant,
  problems: ['not_deployed', 'agent_unavailable', 'agent_error', 'not_answered', 'version_not_serving'],
} as const;
const filter = {
  metadata: members.nullable().optional(),
  graph_id: z.string().max(200).nullable().optional(),
  name: z.string().max(200).nullable().optional(),
};
const page = {
  ...offsets,
  sort_by: z.string().max(100).nullable().optional(),
  sort_order: z.string().max(10).nullable().optional(),
  select: z.array(z.string().max(100)).max(50).nullable().optional(),
};

export const langgraphAssistantEndpoints = {
  'langgraph.info': {
    ...reading,
    method: 'GET',
    path: `${root}/info`,
    summary: "Which of langgraph's APIs is answered here",
    params: byAgent,
  },
  'langgraph.search_assistants': {
    ...reading,
    method: 'POST',
    path: `${root}/assistants/search`,
    summary: 'assistants.search of the SDK: the agent, if it fits',
    body: z.strictObject({ ...filter, ...page }),
  },
  'langgraph.count_assistants': {
    ...reading,
    method: 'POST',
    path: `${root}/assistants/count`,
    summary: 'assistants.count of the SDK',
    body: z.strictObject(filter),
  },
  'langgraph.assistant': {
    ...reading,
    method: 'GET',
    path: `${root}/assistants/{assistant}`,
    summary: 'assistants.get of the SDK: the agent as an assistant',
    params: byAssistant,
  },
  'langgraph.schemas': {
    ...reading,
    operation: 'asset.invoke',
    method: 'GET',
    path: `${root}/assistants/{assistant}/schemas`,
    summary: 'assistants.get_schemas of the SDK: the input that the agent takes',
    params: byAssistant,
    problems: ['not_deployed', 'agent_unavailable', 'agent_error', 'version_not_serving'],
  },
  'langgraph.graph': {
    ...looking,
    path: `${root}/assistants/{assistant}/graph`,
    summary: 'assistants.get_graph of the SDK: the nodes and edges of the graph',
    query: z.strictObject({
      xray: z
        .union([z.enum(['true', 'false']), z.coerce.number().int().min(0).max(50)])
        .optional()
        .describe('how many levels of nested graphs are drawn; `true` for all'),
    }),
  },
  'langgraph.subgraphs': {
    ...looking,
    path: `${root}/assistants/{assistant}/subgraphs`,
    summary: 'assistants.get_subgraphs of the SDK',
    query: z.strictObject({ recurse: z.stringbool().optional() }),
  },
  'langgraph.subgraph': {
    ...looking,
    path: `${root}/assistants/{assistant}/subgraphs/{namespace}`,
    summary: 'assistants.get_subgraphs of the SDK, of one namespace',
    params: byAssistant.extend({ namespace: z.string().min(1).max(500) }),
    query: z.strictObject({ recurse: z.stringbool().optional() }),
  },
  'langgraph.versions': {
    ...reading,
    method: 'POST',
    path: `${root}/assistants/{assistant}/versions`,
    summary:
      'assistants.get_versions of the SDK: the version that serves first, and then the others, which cannot be called',
    params: byAssistant,
    body: z.strictObject({ ...offsets, metadata: members.nullable().optional() }),
  },
} as const satisfies Record<string, Endpoint>;
