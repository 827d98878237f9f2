// The variables with which a container finds what its agent may call at the door of the agents.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { registry_server } from '@gantry/contract/assets/tools.ts';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { SecretFiles } from '../targets/target.ts';

export function doorAddresses(service_url: string, config: AgentConfig): SecretFiles {
  return { ...subagentAddresses(service_url, config), ...serverAddresses(service_url, config) };
}

/** Each address of a subagent has the card of A2A below it. */
function subagentAddresses(service_url: string, { subagents = [] }: AgentConfig): SecretFiles {
  const names = namesIn(subagents);
  if (names.length === 0) return {};
  const addresses: SecretFiles = { SVC_SUBAGENTS_URL: service_url };
  for (const name of names) addresses[`SVC_SUBAGENT_${variable(name)}_URL`] = `${service_url}/agents/${name}`;
  return addresses;
}

/** One address has the tools of all servers, and each server has one of its own. The tools of the registry are one server. */
function serverAddresses(service_url: string, { mcp_servers = [], tools = [] }: AgentConfig): SecretFiles {
  const names = [...namesIn(mcp_servers), ...(tools.some((tool) => 'ref' in tool) ? [registry_server] : [])];
  if (names.length === 0) return {};
  const addresses: SecretFiles = { SVC_MCP_URL: `${service_url}/mcp` };
  for (const name of names) addresses[`SVC_MCP_${variable(name)}_URL`] = `${service_url}/mcp/${name}`;
  return addresses;
}

const namesIn = (entries: readonly { ref: string }[]) => entries.flatMap(({ ref }) => parseAnyRef(ref)?.name ?? []);
const variable = (name: string) => name.replaceAll('-', '_').toUpperCase();
