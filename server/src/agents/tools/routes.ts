import type { Handlers } from '../../governance/http/handlers.ts';
import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { decideCall } from './approvals/decide-call.ts';
import { listWaitingCalls } from './approvals/list-waiting.ts';
import { lookAtTools } from './look.ts';
import type { ToolParts } from './parts.ts';
import { answerQuestion } from './questions/answer-question.ts';
import { listQuestions } from './questions/list-questions.ts';
import { serveTools, type McpRequest } from './serve.ts';

/** At the door of the agents, and for people. `serveControl`: what `/mcp` is for a person. */
export function mcpRoutes(
  parts: ToolParts & { recordRefusal: RecordRefusal },
  serveControl: (request: McpRequest) => Promise<Reply>,
): Handlers<'mcp'> {
  return {
    'mcp.all': async ({ caller, body, headers, signal, trace }) => {
      const request = { caller, body, headers, signal, trace };
      return caller.kind === 'agent' ? await serveTools(parts, request) : await serveControl(request);
    },
    'mcp.one': async ({ caller, params, body, headers, signal, trace }) =>
      await serveTools(parts, { caller, server: params.name, body, headers, signal, trace }),
  };
}

export function toolsRoutes(
  parts: ToolParts & { cursors: Cursors },
): Pick<Handlers<'tools'>, 'tools.look'> & Handlers<'tool_calls'> & Handlers<'tool_questions'> {
  return {
    'tools.look': async ({ caller, params, query, signal }) =>
      await lookAtTools(parts, { caller, signal, ...params, ...query }),
    'tool_calls.waiting': async ({ caller, query }) => await listWaitingCalls(parts, caller, query),
    'tool_calls.decide': async ({ caller, params, body }) => await decideCall(parts, { caller, ...params, ...body }),
    'tool_questions.waiting': async ({ caller, query }) => await listQuestions(parts, caller, query),
    'tool_questions.answer': async ({ caller, params, body }) =>
      await answerQuestion(parts, { caller, ...params, ...body }),
  };
}
