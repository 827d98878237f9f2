import type { Reply } from '../../governance/http/answer/reply.ts';
import { answerMcp } from '../../governance/http/mcp/answer-mcp.ts';
import { admit, findCallable } from '../invoke/admit.ts';
import type { Incoming } from '../invoke/call.ts';
import { describeAgent } from '../invoke/describe-agent.ts';
import { callAgent } from './call-agent.ts';
import { describeTool } from './describe-tool.ts';
import type { ServedParts } from './parts.ts';

/** An agent as an MCP server with one tool. Who may not call the agent is refused before the protocol begins. */
export async function serveAgent({ ingress, ...parts }: ServedParts, incoming: Incoming): Promise<Reply> {
  const { caller, name } = incoming;
  await findCallable(ingress.agents, caller, name);
  return await answerMcp(parts, incoming, {
    list: async () => {
      const admitted = await admit(ingress.agents, caller, name);
      const described = await describeAgent(ingress, admitted, incoming.signal);
      return [describeTool({ name, description: admitted.agent.description, ...described })];
    },
    call: async (asked) => await callAgent(ingress, incoming, asked),
  });
}
