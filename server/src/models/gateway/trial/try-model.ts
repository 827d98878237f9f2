// A person tries a conversation on a model of the catalogue, and reads the answer as it is made. It is a call as any other: it has a hold, a row of
// the ledger, the guardrails that the organisation requires of the paying team, and a span. No other model answers in place of the asked one.
// A reader who leaves ends it as a client of the gateway does.
import { Problem } from '@gantry/contract/problems.ts';
import { dataOf, eventsIn } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { openCall } from '../admission/open-call.ts';
import { beginCall } from '../begin-call.ts';
import { askJudge } from '../judging/ask-judge.ts';
import { toModel } from '../model.ts';
import type { GatewayParts } from '../parts.ts';
import { openCallSpan, type CallSpan } from '../record-call.ts';
import type { GatewayRun } from '../run-of-call.ts';
import * as store from '../store.ts';
import { callInTurn } from '../upstream/attempts.ts';
import { isJson, type Json, type Wire } from '../wires/wire.ts';
import { requestOf, type Conversation } from './request-of.ts';
import { errorIn, isCutIn, textIn } from './text-in.ts';
import type { Trial } from './trial.ts';

interface TrialUsed {
  input_tokens: number;
  output_tokens: number;
  /** As the ledger has it. */
  cost_nano_usd: number;
  /** False for a model without a price. */
  is_priced: boolean;
  /** Null for an answer without text. */
  first_token_ms: number | null;
  total_ms: number;
  /** It ended at its limit of tokens. */
  is_cut: boolean;
}

export type TrialPart = { text: string } | { used: TrialUsed };

interface Tried extends Conversation {
  /** Of the asset. */
  model_id: string;
  caller: Trial;
  run: GatewayRun & { trace_id: string };
  /** Ends when nobody reads the answer. */
  signal: AbortSignal;
}

/** When the answer has begun. Throws the refusal; the parts throw what breaks the answer off, after what it has cost. */
export async function tryModel(gateway: GatewayParts, tried: Tried): Promise<AsyncGenerator<TrialPart>> {
  const { model_id, caller, run, signal: client } = tried;
  const [row] = await store.modelsById(gateway.db, [model_id]);
  if (row === undefined) throw new Problem('not_found');
  const model = toModel(row, new Map());
  if (model.type !== 'chat')
    throw new Problem('model_not_allowed', {
      detail: `models/${model.name} answers no text: its type is ${model.type}.`,
      hint: 'Name a model with `type: chat`.',
    });
  const { wire, sent } = requestOf(model, tried);
  const watch = openWatch(wire);
  const trace = { trace_id: run.trace_id, parent_id: null };
  const span = watch.spanOf(openCallSpan(gateway.spans, { caller: caller.payer, run, trace, model: model.name }));
  const ask = askJudge(gateway, { payer: caller.payer, run });
  const start = async (signal: AbortSignal) => {
    const call = openCall(gateway, watch.wire, { sent, caller, run, headers: new Headers(), signal, ask, span });
    return await callInTurn(gateway.health, call);
  };
  const reply = await beginCall(gateway, { key_id: caller.id, client, span, start });
  const texts = textsOf(reply, (said) => {
    watch.saw(said);
    return textIn(model.kind, said);
  });
  return partsOf(watch, texts, { name: model.name, is_priced: model.price !== undefined });
}

/** What becomes known of a call beside its text. */
interface Watch {
  wire: Wire;
  spanOf: (span: CallSpan) => CallSpan;
  saw: (said: Json) => void;
  began_ms: number;
  hasSettled: () => boolean;
  /** What broke the answer off. */
  broken: () => Problem | undefined;
  used: () => Pick<TrialUsed, 'input_tokens' | 'output_tokens' | 'cost_nano_usd' | 'is_cut'>;
}

function openWatch(wire: Wire): Watch {
  const attempts: Parameters<CallSpan['settled']>[0][] = [];
  let is_cut = false;
  let broken: Problem | undefined;
  const sum = (of: 'input_tokens' | 'output_tokens' | 'nano') => attempts.reduce((total, one) => total + one[of], 0);
  return {
    began_ms: performance.now(),
    wire: {
      ...wire,
      printBreak: (problem) => {
        broken = problem instanceof Problem ? problem : new Problem(problem.code, { detail: problem.detail });
        return '';
      },
    },
    spanOf: (span) => ({
      ...span,
      settled: (attempt) => {
        attempts.push(attempt);
        span.settled(attempt);
      },
    }),
    saw: (said) => {
      is_cut ||= isCutIn(wire, said);
      const error = errorIn(said);
      if (error !== undefined) broken ??= new Problem('model_error', { detail: sentence(error) });
    },
    hasSettled: () => attempts.length > 0,
    broken: () => broken,
    used: () => ({
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost_nano_usd: sum('nano'),
      is_cut,
    }),
  };
}

const most_said = 500;
const sentence = (said: string) => `The model broke its answer off: ${said.slice(0, most_said).toWellFormed()}`;

async function* partsOf(
  watch: Watch,
  texts: AsyncIterable<string>,
  { name, is_priced }: { name: string; is_priced: boolean },
): AsyncGenerator<TrialPart> {
  const since = () => Math.round(performance.now() - watch.began_ms);
  let first_token_ms: number | null = null;
  for await (const text of texts) {
    if (text === '') continue;
    first_token_ms ??= since();
    yield { text };
  }
  const broken = watch.broken();
  // An answer that a guardrail has stopped is settled later.
  if (watch.hasSettled()) yield { used: { ...watch.used(), is_priced, first_token_ms, total_ms: since() } };
  else if (broken === undefined) throw new Error(`the answer of models/${name} has ended, and nothing is settled`);
  if (broken !== undefined) throw broken;
}

async function* textsOf({ body }: Reply, read: (said: Json) => string): AsyncGenerator<string> {
  if (body === undefined) return;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const said: unknown = JSON.parse(Buffer.from(body).toString()); // the gateway has read it as JSON
    if (isJson(said)) yield read(said);
    return;
  }
  for await (const chunk of body)
    for (const event of eventsIn(Buffer.from(chunk))) {
      const said = dataOf(event);
      if (said !== undefined) yield read(said);
    }
}
