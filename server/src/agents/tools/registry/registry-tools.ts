// The tools of `type: http` that an agent may call now. At the door they are the tools of one server, `registry`.
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { requireUse, usableAmong } from '../../delegated-calls/may-use.ts';
import type { AgentCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { toolsOfAgent, type ToolOfAgent } from '../../../assets/registry/tool-lists/pinned-tools.ts';
import type { UsableServer } from '../find-tools.ts';
import type { HttpTool } from './build-request.ts';

/** Those that the agent may use, each as a server with one tool, in the order of their names. */
export async function usableTools(db: Reader, caller: AgentCaller): Promise<UsableServer[]> {
  const tools = await toolsOfAgent(db, caller.version_id);
  const usable = await usableAmong(db, caller, tools);
  return usable.flatMap(({ of, asset }) => {
    const config = configOf(of.config);
    return config === undefined ? [] : [toServer(of, asset, config)];
  });
}

/** Throws `not_found` for a tool that the agent's version does not name, `not_callable`, and the refusal. */
export async function usableTool(db: Reader, caller: AgentCaller, name: string): Promise<UsableServer> {
  const tool = (await toolsOfAgent(db, caller.version_id)).find((one) => one.tool === name);
  const asset = tool && (await requireUse(db, caller, tool));
  if (tool === undefined || asset === undefined)
    throw new Problem('not_found', {
      detail: `${printRef({ kind: 'tool', name })} is not among the tools of \`type: http\` of ${caller.label}.`,
      hint: 'Name it under `tools` of its agent.yaml, and deploy that.',
    });
  const config = configOf(tool.config);
  if (config === undefined)
    throw new Problem('not_callable', {
      detail: `The config of ${tool.ref} is no longer accepted.`,
      hint: `Change it, and push the agent again: svc registry tool edit ${name}`,
    });
  return toServer(tool, asset, config);
}

const read = new WeakMap<Record<string, unknown>, HttpTool | null>();

/** Undefined for one that was stored under looser rules. */
function configOf(stored: Record<string, unknown>): HttpTool | undefined {
  const known = read.get(stored);
  if (known !== undefined) return known ?? undefined;
  const { config } = parseAssetConfig('tool', JSON.stringify(stored), 'config');
  const found = config?.url === undefined ? undefined : { ...config, url: config.url };
  read.set(stored, found ?? null);
  return found;
}

/** Its rules, rate and price count as those of a server do. */
function toServer(server: ToolOfAgent, asset: AssetRecord, http: HttpTool): UsableServer {
  const { rules, approve, rule_tests, rate, price_usd, description, parameters, url, secret, data_flow } = http;
  const prices = price_usd === undefined ? undefined : [{ usd: price_usd }];
  return {
    server,
    upstream: {
      ref: asset.ref,
      asset,
      version: server.version,
      config: { transport: 'streamable-http', url, rules, approve, rule_tests, rate, prices, secret, data_flow },
    },
    tools: [
      {
        name: server.tool,
        ...(description !== undefined && { description }),
        inputSchema: parameters,
        annotations: { readOnlyHint: http.method === 'GET', openWorldHint: true },
      },
    ],
    own: { http },
  };
}
