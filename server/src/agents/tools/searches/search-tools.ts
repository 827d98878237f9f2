// The searches of an agent. At the door they are the tools of one server, `knowledge`.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { searchesOfAgent } from '../../../assets/registry/tool-lists/pinned-knowledge.ts';
import type { ToolOfAgent } from '../../../assets/registry/tool-lists/pinned-tools.ts';
import type { UsableServer } from '../find-tools.ts';
import { requireUse, usableAmong } from '../../delegated-calls/may-use.ts';

/** Those that the agent may use, each as a server with one tool, in the order of their names. */
export async function usableSearches(db: Reader, caller: AgentCaller): Promise<UsableServer[]> {
  const usable = await usableAmong(db, caller, await searchesOfAgent(db, caller.version_id));
  return usable.map(({ of, asset }) => toServer(of, asset));
}

/** Throws `not_found` for a search that the agent's version does not name, and the refusal. */
export async function usableSearch(db: Reader, caller: AgentCaller, name: string): Promise<UsableServer> {
  const search = (await searchesOfAgent(db, caller.version_id)).find((one) => one.tool === name);
  const asset = search && (await requireUse(db, caller, search));
  if (search === undefined || asset === undefined)
    throw new Problem('not_found', {
      detail: `${name} is not a search of ${caller.label}.`,
      hint: 'Name the knowledge base under `knowledge_bases` of its agent.yaml, and deploy that.',
    });
  return toServer(search, asset);
}

/** Others wrote the documents, and some documents are for some readers only. A search sends nothing out. */
const data_flow = { private_data: true, outside_text: true, sends_out: false };

/** Its text is the service's own: nobody changes what a model reads before a search. */
function toServer(server: ToolOfAgent, asset: AssetRecord): UsableServer {
  return {
    server,
    upstream: {
      ref: asset.ref,
      asset,
      version: server.version,
      config: { transport: 'streamable-http', data_flow },
    },
    tools: [
      {
        name: server.tool,
        description: `Searches the documents of ${asset.ref}, as the person who asks may read them. Gives passages, the best first, each with a link for citing it.`,
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', minLength: 1, maxLength: 2000, description: 'A question, or words' },
            limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many passages' },
          },
          required: ['query'],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
    ],
    own: { search: asset },
  };
}
