// The settings of the agents' networks, as a part of config.ts.
import { z } from 'zod';

const subnet = z.cidrv4();
const port = z.coerce.number().int().min(1).max(65_535);

export const agentNetworkSettings = {
  AGENTS_SUBNET: subnet.optional().describe('the network of the agents. Default: from the ids of service and engine'),
  LISTED_SUBNET: subnet.optional().describe('the network of agents with limited egress. Default: from the same ids'),
  SANDBOX_SUBNET: subnet.optional().describe('the network of the builds. Default: from the same ids'),
  GATEWAY_PORT: port.default(4490).describe("the port of the model gateway on the agents' network"),
  GATEWAY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the address of the model gateway for agents. Default: the one on the agents' network"),
  SUBAGENTS_PORT: port.default(4492).describe("the port on the agents' network at which agents call their subagents"),
  SUBAGENTS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the address at which agents call their subagents. Default: the one on the agents' network"),
  EGRESS_PORT: port
    .default(4491)
    .describe('the port of the proxy for agents with limited outgoing connections, on their network'),
};
