import { Problem, problems, type ProblemCode } from '@gantry/contract/problems.ts';
import { defineCommand, jsonObject, required, settings } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { serverArgument } from '../../mcp/describe-tools.ts';
import { messagesOf, type Message } from '../../mcp/rpc.ts';
import { misuse } from '../../refusal.ts';
import { line, verbatim, type View } from '../../view/view.ts';

export const command = defineCommand({
  words: 'tool call',
  summary: 'Run a tool of an MCP server yourself, under the same rules and approvals as agents',
  needs: 'asset.invoke',
  examples: [
    'svc tool call weather forecast --arg city=Bern --arg days=3',
    `svc tool call bank transfer --args-json '{"amount":5,"to":"Ada"}'`,
    'svc tool call weather forecast --arg city=Bern --json',
  ],
  arguments: { server: serverArgument, tool: required('The name of the tool: svc mcp tools <server>') },
  flags: {
    arg: settings('An argument, as JSON or text; repeatable'),
    argsJson: jsonObject('All arguments, as one JSON object'),
  },
  async run({ server, tool, arg, argsJson: whole }, session) {
    if (arg !== undefined && whole !== undefined) throw misuse('--arg and --args-json exclude each other');
    const params = { name: tool, arguments: whole ?? arg ?? {}, _meta: { progressToken: 1 } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const answered = await session.call('mcp.one', { params: { name: server }, body: Buffer.from(body) });
    let result: ToolResult | undefined;
    for await (const message of messagesOf(answered)) {
      if (message['method'] === 'notifications/progress') session.output.progress(progressOf(message));
      if ('error' in message) throw new Problem('internal', { detail: JSON.stringify(message['error']) });
      if ('result' in message) result = message['result'] as ToolResult; // as the protocol has it; its members are checked
    }
    if (result === undefined) throw new Problem('server_unavailable', { detail: `${server} gave no result` });
    const refusal = refusalIn(result);
    if (refusal !== undefined) throw refusal;
    // The tool itself says that it failed.
    return { data: result, view: describe(result), exit: result.isError === true ? exitCodes.refused : exitCodes.done };
  },
});

interface ToolResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
  _meta?: Record<string, unknown>;
}

function progressOf({ params }: Message): string {
  const { progress, message } = (params ?? {}) as Record<string, unknown>; // each is only printed
  return `… ${typeof message === 'string' ? message : JSON.stringify(progress)}`;
}

const partsOf = ({ content }: ToolResult) => (Array.isArray(content) ? (content as Record<string, unknown>[]) : []);

function refusalIn({ _meta = {} }: ToolResult): Problem | undefined {
  const { 'gantry/problem': code, 'gantry/detail': detail, 'gantry/hint': hint } = _meta;
  if (typeof code !== 'string' || !(code in problems)) return undefined;
  return new Problem(code as ProblemCode, {
    ...(typeof detail === 'string' && { detail }),
    ...(typeof hint === 'string' && { hint }),
  });
}

function describe(result: ToolResult): View {
  const parts = partsOf(result).map((part) =>
    typeof part['text'] === 'string'
      ? verbatim(part['text'])
      : line(
          `(${String(part['type'])}${typeof part['mimeType'] === 'string' ? ` ${part['mimeType']}` : ''}: see --json)`,
        ),
  );
  return parts.length === 0 ? [line('The tool has answered without content')] : parts;
}
