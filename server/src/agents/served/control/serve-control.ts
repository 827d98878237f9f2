// The service itself as an MCP server: a coding agent works for its person, with the person's own token and rights. Each tool is a call of the API, so what
// the API refuses is refused here, and its log has it.
import { createClient } from '@gantry/contract/client/client.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { answerMcp } from '../../../governance/http/mcp/answer-mcp.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { McpRequest, ServeParts } from '../../tools/serve.ts';
import { listedTool } from './control-tool.ts';
import { controlTools } from './control-tools.ts';

export interface ControlParts extends Pick<ServeParts, 'recordRefusal' | 'onError'> {
  /** Where this process reaches the API. */
  api_url: () => string;
}

export async function serveControl(parts: ControlParts, request: McpRequest): Promise<Reply> {
  signedIn(request.caller);
  const token = bearerOf(request.headers);
  const team = request.headers.get('x-service-team') ?? undefined;
  const client = createClient({ base_url: parts.api_url(), token: () => token, team: () => team });
  return await answerMcp(parts, request, {
    list: async () => await Promise.resolve(controlTools.map(listedTool)),
    call: async ({ name, arguments: given, signal }) => {
      const tool = controlTools.find((one) => one.name === name);
      if (tool === undefined) throw new Problem('not_found', { detail: `There is no tool ${name.slice(0, 100)}.` });
      const answer = await tool.run(client, given, signal);
      return { content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }] };
    },
  });
}
