// The variables with which a container finds what its agent may call at the door of the agents.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { knowledge_server, registry_server } from '@gantry/contract/assets/tools.ts';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { SecretFiles } from '../targets/target.ts';

export function doorAddresses(service_url: string, config: AgentConfig): SecretFiles {
  return {
    ...subagentAddresses(service_url, config),
    ...serverAddresses(service_url, config),
    ...(hasPrompts(config) && { SVC_PROMPTS_URL: `${service_url}/prompts` }),
  };
}

/** Each address of a subagent has the card of A2A below it. */
function subagentAddresses(service_url: string, { subagents = [] }: AgentConfig): SecretFiles {
  const names = namesIn(subagents);
  if (names.length === 0) return {};
  const addresses: SecretFiles = { SVC_SUBAGENTS_URL: service_url };
  for (const name of names) addresses[`SVC_SUBAGENT_${variable(name)}_URL`] = `${service_url}/agents/${name}`;
  return addresses;
}

/**
 * One address has the tools of all servers and the prompts of the agent, and each server has one of its own. The tools of the registry are one server,
 * and so are the searches.
 */
function serverAddresses(service_url: string, config: AgentConfig): SecretFiles {
  const { mcp_servers = [], tools = [], knowledge_bases = [] } = config;
  const names = [
    ...namesIn(mcp_servers),
    ...(tools.some((tool) => 'ref' in tool) ? [registry_server] : []),
    ...(knowledge_bases.length > 0 ? [knowledge_server] : []),
  ];
  if (names.length === 0 && !hasPrompts(config)) return {};
  const addresses: SecretFiles = { SVC_MCP_URL: `${service_url}/mcp` };
  for (const name of names) addresses[`SVC_MCP_${variable(name)}_URL`] = `${service_url}/mcp/${name}`;
  return addresses;
}

const hasPrompts = ({ prompts = {} }: AgentConfig) => Object.keys(prompts).length > 0;
const namesIn = (entries: readonly { ref: string }[]) => entries.flatMap(({ ref }) => parseAnyRef(ref)?.name ?? []);
const variable = (name: string) => name.replaceAll('-', '_').toUpperCase();
