// The service's own call to a model of the catalogue that is no chat, for the holder of a key. Who pays for the holder's calls pays for this one: it has a
// hold, a ledger row with a tag, the same limits, and a span. The guardrails of the holder read its texts first.
import { randomBytes } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../governance/access/caller.ts';
import { within } from '../../ground/within.ts';
import { modelForService } from './admission/facts.ts';
import { openCall } from './admission/open-call.ts';
import { requireRunBudget } from './admission/run-budget.ts';
import type { Embedding } from './embedding/embedding.ts';
import { askJudge } from './judging/ask-judge.ts';
import { toModel, type Model } from './model.ts';
import type { GatewayParts } from './parts.ts';
import { openCallSpan } from './record-call.ts';
import type { Reranking } from './reranking/reranking.ts';
import type { GatewayRun } from './run-of-call.ts';
import { callInTurn } from './upstream/attempts.ts';
import { isJson, type Json, type Wire } from './wires/wire.ts';

export interface ForHolder {
  /** models/<name> */
  model: string;
  tag: string;
  payer: KeyCaller;
  run: GatewayRun;
  /** Ends the wait. The call is settled all the same. */
  signal: AbortSignal;
}

/** Throws `model_not_allowed` for a model of another type, and the refusal of the run's budget. */
export async function modelForHolder(
  gateway: GatewayParts,
  { payer, model: asked, run }: ForHolder,
  { type, makes }: { type: Model['type']; makes: string },
): Promise<Model> {
  const row = await modelForService(gateway.db, payer, asked);
  if (row === undefined)
    throw new Problem('model_not_allowed', { detail: `There is no ${asked} for the key of the agent.` });
  const model = toModel(row, new Map());
  if (model.type !== type)
    throw new Problem('model_not_allowed', {
      detail: `models/${model.name} makes no ${makes}: its type is ${model.type}.`,
      hint: `Name a model with \`type: ${type}\`.`,
    });
  await requireRunBudget(gateway.db, run);
  return model;
}

/** The answer. Throws the refusal, and `model_unavailable` when it is late. */
export async function askForHolder(
  gateway: GatewayParts,
  {
    kind,
    model: { name },
    wire,
    sent,
  }: { kind: (Embedding | Reranking)['kind']; model: Model; wire: Wire; sent: Json },
  { payer, tag, run, signal, deadline_ms }: ForHolder & { deadline_ms: number },
): Promise<Json> {
  const model = `models/${name}`;
  const caller: Embedding | Reranking = { kind, id: payer.id, accounts: payer.accounts, tag, payer };
  const trace = { trace_id: run.trace_id ?? randomBytes(16).toString('hex'), parent_id: null };
  const span = openCallSpan(gateway.spans, { caller: payer, run, trace, model });
  const ask = askJudge(gateway, { payer, run });
  const call = openCall(gateway, wire, { sent, caller, run, headers: new Headers(), signal, ask, span });
  const replying = callInTurn(gateway.health, call);
  void replying.then(span.begun, span.failed);
  const reply = await within(deadline_ms, replying, signal);
  if (reply === undefined) throw new Problem('model_unavailable', { detail: `${model} has not answered in time.` });
  return parsed(reply.body);
}

/** The start of a text, of whole characters. */
export function startOf(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read).toWellFormed();
}

export function answeredWrong({ name }: Model, how: string): Problem {
  return new Problem('model_error', { detail: `models/${name} answered ${how}.` });
}

function parsed(body: unknown): Json {
  const said: unknown =
    typeof body === 'string' || body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : undefined;
  return isJson(said) ? said : {};
}
