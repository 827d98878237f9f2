// A call to a model: read → admit → (checks of the input) → dispatch → answer → (checks of the output) → settle. Promises: nothing reaches an
// upstream without a committed hold, and each hold is settled, whatever happens to the client, the upstream or this process.
import { randomUUIDv7 } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../access/caller.ts';
import { parseJson } from '../http/body.ts';
import type { Reply } from '../http/reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { within } from '../within.ts';
import type { Reservation } from '../ledger/books.ts';
import type { Admitted } from './admission.ts';
import { readEvents, wholeEvents } from './events.ts';
import type { Facts } from './facts.ts';
import type { Model } from './model.ts';
import type { GatewayParts } from './parts.ts';
import { boundOf, costOf, outputTokensFor } from './prices/cost.ts';
import { inputClasses, outputClasses, type Usage } from './prices/rates.ts';
import { refusalOf } from './refusal.ts';
import { AttemptFailed, dispatch, unavailable, type UpstreamAnswer } from './upstream.ts';
import { isJson, type AskedOfModel, type Json, type Wire } from './wires/wire.ts';

export interface Incoming {
  caller: KeyCaller;
  body: Uint8Array;
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
}

const total_ms = 600_000;
/** The hold ends after the call, with time to settle. */
const deadline_seconds = total_ms / 1000 + 60;
const min_output_tokens = 256;
const max_answer_bytes = 32 * 1024 * 1024;
const max_event_bytes = 8 * 1024 * 1024;
/** How long an answer is still read for its usage when its client has gone. */
const drain_ms = 30_000;

export async function callModel(
  gateway: GatewayParts,
  wire: Wire,
  { caller, body: bytes, headers, signal }: Incoming,
): Promise<Reply> {
  const sent = parseJson(bytes);
  if (!isJson(sent)) throw new Problem('malformed', { detail: 'The body must be a JSON object.' });
  // The upstream gets this text, and not the client's: a number can be longer in it.
  const asked = wire.read(sent, JSON.stringify(sent));
  const hold_id = randomUUIDv7();
  const admitted = await gateway.admission.admit({
    caller,
    hold_id,
    model: asked.model,
    reservation: (facts) => reservationOf(wire, asked, { ...facts, caller, hold_id }),
  });
  const attempt = { gateway, wire, sent, caller, hold_id, ...admitted };
  // The hold must be settled even if this request has ended meanwhile.
  const limit = { output_tokens: Math.floor(admitted.output_tokens / asked.choices), is_limited: admitted.is_limited };
  const ending = AbortSignal.timeout(total_ms);
  try {
    const answer = await dispatch(gateway, {
      wire,
      model: admitted.model,
      body: wire.write(sent, admitted.model, limit),
      headers: passedHeaders(wire, headers),
      signal: ending,
    });
    if (answer.status >= 400) throw await refusalOf(admitted.model, answer, await gateway.credentialOf(admitted.model));
    if (answer.content_type.startsWith('text/event-stream')) return streamed(attempt, answer);
    return await whole(attempt, answer, signal);
  } catch (error) {
    const failed = error instanceof AttemptFailed ? error : undefined;
    settle(attempt, failed?.can_cost === false ? 'refused' : 'failed', failed?.can_cost === false ? {} : undefined);
    throw failed?.problem ?? error;
  }
}

function passedHeaders({ passed_headers }: Wire, headers: RequestHeaders): Record<string, string> {
  const given = passed_headers.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== null));
}

interface Attempt extends Admitted {
  gateway: GatewayParts;
  wire: Wire;
  sent: Json;
  caller: KeyCaller;
  hold_id: string;
}

function reservationOf(
  wire: Wire,
  asked: AskedOfModel,
  { key, model, caller, hold_id }: Facts & { model: Model; caller: KeyCaller; hold_id: string },
): Reservation {
  if (model.kind !== wire.kind)
    throw new Problem('invalid', { detail: `models/${model.name} is called in the format of ${model.kind}.` });
  const { price } = model;
  const { input_tokens, input_classes, choices, unbounded } = asked;
  const input = { input_tokens, input_classes };
  const output_tokens = (asked.output_tokens ?? model.max_output_tokens) * choices;
  return {
    id: hold_id,
    accounts: caller.accounts.map((id) => ({ id, label: labelOf(caller, key, id) })),
    input_tokens,
    output_tokens,
    min_output_tokens: (asked.min_output_tokens ?? min_output_tokens) * choices,
    price: price && {
      boundOf: (output) => boundOf(price, { ...input, output_tokens: output }),
      outputTokensFor: (nano) => outputTokensFor(price, { ...input, nano }) ?? -1,
    },
    unbounded,
    deadline_seconds,
    call: {
      key_id: key.id,
      key: key.prefix,
      team: key.team,
      user: key.user,
      agent: key.agent,
      principal: key.principal,
      tags: key.tags,
      model: model.name,
      provider: model.provider,
      upstream_model: model.upstream_model,
      attempt: 1,
      price: price?.version ?? null,
    },
  };
}

function labelOf(caller: KeyCaller, key: Facts['key'], account_id: string): string {
  if (account_id === caller.id) return `the key ${key.prefix}…`;
  if (account_id === caller.team_id) return `team:${key.team}`;
  if (account_id === caller.accounts.at(-1)) return 'the organisation';
  if (key.user !== null) return `${key.user} in team:${key.team}`;
  return key.agent === null ? (key.principal ?? 'its holder') : `agents/${key.agent}`;
}

/** Without usage, the whole hold is charged. */
function settle(
  { gateway, caller, hold_id, model }: Attempt,
  outcome: 'answered' | 'refused' | 'failed',
  usage: Usage | undefined,
): void {
  const counts = Object.entries(usage ?? {}).filter(([, tokens]) => tokens !== 0);
  const tokensOf = (classes: object) =>
    counts.reduce((sum, [name, tokens]) => sum + (Object.hasOwn(classes, name) ? tokens : 0), 0);
  gateway.admission.settle({
    hold_id,
    accounts: caller.accounts,
    outcome,
    nano: usage && nanoOf(model, usage),
    input_tokens: tokensOf(inputClasses),
    output_tokens: tokensOf(outputClasses),
    usage: Object.fromEntries(counts),
  });
}

/** Undefined for a usage that the price does not know: then the whole hold is charged. */
function nanoOf({ price }: Model, usage: Usage): number | undefined {
  if (price === undefined) return 0;
  try {
    return costOf(price, usage);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function whole(attempt: Attempt, answer: UpstreamAnswer, client: AbortSignal): Promise<Reply> {
  const { wire, model } = attempt;
  const reading = readWhole(model, answer);
  const left = Promise.withResolvers<undefined>();
  client.addEventListener('abort', () => left.resolve(undefined), { once: true });
  if (client.aborted) left.resolve(undefined);
  const bytes = (await Promise.race([reading, left.promise])) ?? (await within(drain_ms, reading));
  if (bytes === undefined) {
    reading.catch(() => {}); // nobody waits for it any more
    answer.body.destroy();
    throw new AttemptFailed(unavailable(model, 'the client has left'), { can_cost: true });
  }
  const said = readJson(bytes);
  if (said === undefined)
    throw new AttemptFailed(
      new Problem('model_error', { detail: `models/${model.name} answered with something else than JSON.` }),
      { can_cost: true },
    );
  const counts = wire.countsIn(said);
  settle(attempt, 'answered', counts && wire.usageOf(counts));
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes };
}

async function readWhole(model: Model, { body }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max_answer_bytes) throw new Error('the answer exceeds the limit');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new AttemptFailed(unavailable(model, 'its answer broke off'), { can_cost: true, cause });
  }
  return Buffer.concat(chunks, size);
}

function readJson(bytes: Buffer): Json | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function streamed(attempt: Attempt, { content_type, body }: UpstreamAnswer): Reply {
  return {
    status: 200,
    headers: { 'content-type': content_type, 'cache-control': 'no-store' },
    body: eventsOf(attempt, body),
  };
}

async function* eventsOf(attempt: Attempt, body: UpstreamAnswer['body']): AsyncGenerator<Uint8Array | string> {
  const { wire, sent, gateway, model } = attempt;
  // Without an encoding the body gives buffers.
  const events = wholeEvents((body as AsyncIterable<Buffer>)[Symbol.asyncIterator](), max_event_bytes);
  let counts: Json | undefined;
  let isOver = false;
  const look = (bytes: Buffer): Uint8Array => {
    const seen = readEvents(bytes, { wire, sent, counts });
    ({ counts } = seen);
    return seen.bytes;
  };
  const settleWhole = () => settle(attempt, 'answered', counts && wire.usageOf(counts));
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) yield look(next.value);
    isOver = true;
    settleWhole();
  } catch (cause) {
    isOver = true;
    // Some vendors count as they go on, so the last counts are not those of the end.
    settle(attempt, 'failed', undefined);
    gateway.onBroken(cause);
    yield wire.printBreak(unavailable(model, 'its answer broke off'));
  } finally {
    // The client has left. The upstream goes on and bills, so its usage is still wanted.
    if (!isOver) gateway.background(drain());
  }

  async function drain(): Promise<void> {
    const rest = async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next()) look(next.value);
      return true;
    };
    const isWhole = await within(
      drain_ms,
      rest().catch(() => false),
    );
    body.destroy();
    if (isWhole === true) settleWhole();
    else settle(attempt, 'failed', undefined);
  }
}
