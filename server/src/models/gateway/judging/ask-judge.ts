// The judges of guardrails ask models of the catalogue. Who pays for the judged call pays for its judges: each has a hold, a ledger row with the
// tag `guardrail:<name>`, and the same limits. A judge gets no text that pii_detection hides.
import { randomBytes } from 'node:crypto';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import { askNobody, type AskFor } from '../../guardrails/guarded-call.ts';
import { JudgeFailed, type JsonValue, type JudgeRequest } from '../../guardrails/rule.ts';
import { callInTurn } from '../upstream/attempts.ts';
import { modelForService } from '../admission/facts.ts';
import { entryNamed } from '../catalogue/model-called.ts';
import { openCall } from '../admission/open-call.ts';
import { toModel, type Model } from '../model.ts';
import type { Judging } from './judging.ts';
import type { GatewayParts } from '../parts.ts';
import { openCallSpan } from '../record-call.ts';
import type { GatewayRun } from '../run-of-call.ts';
import { judgeEffort, judgeTokens } from '../admission/thinking-models.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { partsOf } from '../wires/gemini-parts.ts';
import { generateContent } from '../wires/gemini.ts';
import { messages } from '../wires/messages.ts';
import { moderations } from '../wires/moderations.ts';
import { isJson, listOf, type Json, type Wire } from '../wires/wire.ts';

const judge_ms = 30_000;
const max_answer_bytes = 4 * 1024 * 1024;

export function askJudge(gateway: GatewayParts, { payer, run }: { payer: KeyCaller; run: GatewayRun }): AskFor {
  return (rule, signal) => async (request) => {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(judge_ms)]);
    if (request.kind === 'presidio') return await askPresidio(gateway, request, ends);
    const row = await modelForService(gateway.db, payer, request.model);
    if (row === undefined)
      throw new JudgeFailed(`there is no models/${entryNamed(request.model) ?? request.model} for this key`);
    const model = toModel(row, new Map());
    const asked = questionOf({ ...request, model: `models/${row.name}` }, model);
    const caller: Judging = { kind: 'judge', id: payer.id, accounts: payer.accounts, rule, payer };
    const trace = { trace_id: run.trace_id ?? randomBytes(16).toString('hex'), parent_id: null };
    const span = openCallSpan(gateway.spans, { caller: payer, run, trace, model: request.model, rule });
    const call = openCall(gateway, asked.wire, {
      sent: asked.sent,
      caller,
      run,
      headers: new Headers(),
      signal: ends,
      ask: askNobody,
      span,
    });
    const replying = callInTurn(gateway.health, call);
    void replying.then(span.begun, span.failed);
    const { body } = await replying;
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw new JudgeFailed('the judge answered a stream');
    return asked.read(parsed(Buffer.from(body).toString()));
  };
}

interface Question {
  wire: Wire;
  sent: Json;
  /** Throws JudgeFailed. */
  read(answer: Json): JsonValue;
}

function questionOf(
  request: Exclude<JudgeRequest, { kind: 'presidio' }>,
  { kind, max_tokens_field, upstream_model }: Model,
): Question {
  const { model } = request;
  if (request.kind === 'moderation')
    return { wire: moderations, sent: { model, input: request.input }, read: (answer) => answer as JsonValue };
  const { system, user, schema } = request;
  const max_tokens = judgeTokens(upstream_model, request.max_tokens);
  if (kind === 'anthropic')
    return {
      wire: messages,
      sent: {
        model,
        system,
        max_tokens,
        messages: [{ role: 'user', content: user }],
        tools: [{ name: schema.name, input_schema: schema.schema }],
        tool_choice: { type: 'tool', name: schema.name },
      },
      read: ({ content }) => {
        const used = listOf(content).find((block) => isJson(block) && block['type'] === 'tool_use');
        if (!isJson(used)) throw new JudgeFailed('the judge used no tool');
        return used['input'] as JsonValue;
      },
    };
  if (kind === 'gemini')
    return {
      wire: generateContent,
      sent: {
        model,
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: 'user', parts: [{ text: user }] }],
        generationConfig: {
          maxOutputTokens: max_tokens,
          responseMimeType: 'application/json',
          responseJsonSchema: schema.schema,
        },
      },
      read: ({ candidates }) => {
        const parts = partsOf(listOf(candidates).flatMap((one) => (isJson(one) ? [one['content']] : [])));
        const texts = parts.filter(({ part }) => part['thought'] !== true).map(({ part }) => part['text']);
        return parsed(texts.filter((text) => typeof text === 'string').join('')) as JsonValue;
      },
    };
  return {
    wire: chatCompletions,
    sent: {
      model,
      [max_tokens_field]: max_tokens,
      ...judgeEffort(upstream_model),
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
    },
    read: ({ choices }) => {
      const [choice] = listOf(choices);
      const message = isJson(choice) && isJson(choice['message']) ? choice['message'] : {};
      if (typeof message['content'] !== 'string') throw new JudgeFailed('the judge answered no text');
      return parsed(message['content']) as JsonValue;
    },
  };
}

async function askPresidio(
  { outbound }: GatewayParts,
  { address, kind: _, ...question }: Extract<JudgeRequest, { kind: 'presidio' }>,
  signal: AbortSignal,
): Promise<JsonValue> {
  try {
    const answered = await outbound.request(`${address.replace(/\/$/, '')}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal,
    });
    const text = await answered.body.text();
    if (answered.statusCode !== 200) throw new JudgeFailed(`Presidio answered ${answered.statusCode}`);
    if (text.length > max_answer_bytes) throw new JudgeFailed('the answer of Presidio is too large');
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof JudgeFailed) throw error;
    throw new JudgeFailed('Presidio does not answer', { cause: error });
  }
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value)) return value;
  } catch {
    // refused below
  }
  throw new JudgeFailed('the judge answered no JSON object');
}
