// An answer of an agent in the two formats of OpenAI, whole and as a stream.
import type { Problem } from '@gantry/contract/problems.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { modelMessage } from '../../governance/http/refusals/model-problem-reply.ts';
import type { Json } from '../../models/gateway/wires/wire.ts';

interface Answering {
  /** agents/<name> */
  model: string;
  run_id: string;
  /** In seconds since 1970. */
  created: number;
}

interface AnsweringResponse extends Answering {
  id: string;
  previous_id: string | null;
  conversation: string | null;
  /** The next request can continue it. */
  is_kept: boolean;
}

/** Counts of tokens, where they are known. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

export interface Printer {
  whole: (text: string, usage: Usage | undefined) => Json;
  /** Before the text. */
  begin: () => string;
  piece: (text: string) => string;
  end: (text: string, usage: Usage | undefined) => string;
  broken: (text: string, problem: Problem) => string;
}

export function chatPrinter({ model, run_id, created }: Answering): Printer {
  const id = `chatcmpl-${run_id}`;
  const head = { id, created, model };
  const chunk = (delta: Json, finish_reason: 'stop' | null = null) =>
    data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return {
    whole: (content, usage) => ({
      ...head,
      object: 'chat.completion',
      choices: [
        { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
      ],
      ...(usage && { usage: chatUsage(usage) }),
    }),
    begin: () => chunk({ role: 'assistant', content: '' }),
    piece: (content) => chunk({ content }),
    end: (_, usage) => {
      const counted = usage
        ? data({ ...head, object: 'chat.completion.chunk', choices: [], usage: chatUsage(usage) })
        : '';
      return `${chunk({}, 'stop')}${counted}data: [DONE]\n\n`;
    },
    broken: (_, problem) => data({ error: { type: 'api_error', ...errorOf(problem), param: null } }),
  };
}

export function responsePrinter({
  model,
  created,
  run_id,
  id,
  previous_id,
  conversation,
  is_kept,
}: AnsweringResponse): Printer {
  const item_id = `msg_${run_id.replaceAll('-', '')}`;
  let sequence_number = 0;
  const event = (type: string, more: Json) =>
    printServerSentEvent({
      event: type,
      data: JSON.stringify({ type, ...more, sequence_number: sequence_number++ }),
    });
  const partOf = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const itemOf = (text: string, status: 'in_progress' | 'completed' | 'incomplete') => ({
    id: item_id,
    type: 'message',
    role: 'assistant',
    status,
    content: status === 'in_progress' ? [] : [partOf(text)],
  });
  const responseOf = (status: 'in_progress' | 'completed' | 'failed', more: Json) => ({
    id,
    object: 'response',
    created_at: created,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: false,
    previous_response_id: previous_id,
    conversation: conversation === null ? null : { id: conversation },
    reasoning: { effort: null, summary: null },
    store: is_kept,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'none',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    ...more,
  });
  const completed = (text: string, usage: Usage | undefined) =>
    responseOf('completed', { output: [itemOf(text, 'completed')], ...(usage && { usage: responseUsage(usage) }) });
  const at = { item_id, output_index: 0, content_index: 0 };
  return {
    whole: completed,
    begin: () =>
      event('response.created', { response: responseOf('in_progress', {}) }) +
      event('response.in_progress', { response: responseOf('in_progress', {}) }) +
      event('response.output_item.added', { output_index: 0, item: itemOf('', 'in_progress') }) +
      event('response.content_part.added', { ...at, part: partOf('') }),
    piece: (delta) => event('response.output_text.delta', { ...at, delta, logprobs: [] }),
    end: (text, usage) =>
      event('response.output_text.done', { ...at, text, logprobs: [] }) +
      event('response.content_part.done', { ...at, part: partOf(text) }) +
      event('response.output_item.done', { output_index: 0, item: itemOf(text, 'completed') }) +
      event('response.completed', { response: completed(text, usage) }),
    broken: (text, problem) =>
      event('response.failed', {
        response: responseOf('failed', { output: [itemOf(text, 'incomplete')], error: errorOf(problem) }),
      }),
  };
}

const data = (value: Json) => printServerSentEvent({ data: JSON.stringify(value) });

const errorOf = (problem: Problem) => ({ code: problem.code, message: modelMessage(problem) });

const chatUsage = ({ input_tokens, output_tokens }: Usage) => ({
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens: input_tokens + output_tokens,
});

const responseUsage = ({ input_tokens, output_tokens }: Usage) => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
});
