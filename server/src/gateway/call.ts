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
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { callInTurn, placeOf, type Call } from './attempts.ts';
import { brokenBy } from './connection-problem.ts';
import { readEvents, wholeEvents } from './events.ts';
import type { Facts, Payer } from './facts.ts';
import type { Model, Upstream } from './model.ts';
import type { GatewayParts } from './parts.ts';
import { boundOf, costOf, outputTokensFor } from './prices/cost.ts';
import { inputClasses, outputClasses, type Usage } from './prices/rates.ts';
import { refusalOf, withoutCredentials } from './refusal.ts';
import { requireAddress } from './require-address.ts';
import { dispatch, type UpstreamAnswer } from './upstream.ts';
import { image_max_tokens, isJson, type AskedOfModel, type Json, type Wire } from './wires/wire.ts';

export interface Incoming {
  caller: KeyCaller;
  body: Uint8Array;
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
}

/** The hold ends after the call, with time to settle. */
const settling_seconds = 60;
const min_output_tokens = 256;
/** No vendor knows so many; each takes time. */
const max_members = 200;
const max_answer_bytes = 32 * 1024 * 1024;
const max_event_bytes = 8 * 1024 * 1024;
/** How long an answer is still read for its usage when its client has gone. */
const drain_ms = 30_000;

export async function callModel(gateway: GatewayParts, wire: Wire, { body, ...incoming }: Incoming): Promise<Reply> {
  const sent = parseJson(body);
  if (!isJson(sent)) throw new Problem('malformed', { detail: 'The body must be a JSON object.' });
  if (Object.keys(sent).length > max_members)
    throw new Problem('malformed', { detail: `The body has more than ${max_members} members.` });
  return await callInTurn(gateway.health, openCall(gateway, wire, { sent, ...incoming }));
}

/** The steps of a call. Throws `invalid`. */
export function openCall(
  gateway: GatewayParts,
  wire: Wire,
  { sent, caller, headers, signal }: Omit<Incoming, 'caller' | 'body'> & { sent: Json; caller: Payer },
): Call<Attempt> {
  // The upstream gets this text, and not the client's: a number can be longer in it.
  const asked = wire.read(sent, JSON.stringify(sent));
  for (const address of asked.addresses) requireAddress(gateway, address);
  const passed = passedHeaders(wire, headers);
  return {
    model: asked.model,
    admit: async (model, attempt) => {
      const hold_id = randomUUIDv7();
      const admitted = await gateway.admission.admit({
        caller,
        hold_id,
        model,
        reservation: (facts) => reservationOf(wire, asked, { ...facts, caller, hold_id, attempt }),
      });
      return { gateway, wire, sent, asked, passed, caller, hold_id, client: signal, ...admitted };
    },
    send,
    release: (attempt) => settle(attempt, 'refused', {}),
    signal,
  };
}

function passedHeaders({ passed_headers }: Wire, headers: RequestHeaders): Record<string, string> {
  const given = passed_headers.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== null));
}

interface Attempt extends Admitted {
  gateway: GatewayParts;
  wire: Wire;
  sent: Json;
  asked: AskedOfModel;
  /** Headers of the client, for the upstream. */
  passed: Record<string, string>;
  caller: Payer;
  hold_id: string;
  client: AbortSignal;
}

async function send(attempt: Attempt, upstream: Upstream): Promise<Reply> {
  const { gateway, wire, sent, asked, passed, key, model, output_tokens, is_limited } = attempt;
  const { temperature, max_tokens } = key.settings;
  const limit = {
    output_tokens: Math.floor(output_tokens / asked.choices),
    is_limited: is_limited || max_tokens !== undefined,
    temperature: model.takes_temperature ? temperature : undefined,
  };
  // The hold must be settled even if the request has ended meanwhile.
  try {
    const answer = await dispatch(gateway, {
      wire,
      model,
      upstream,
      body: wire.write(sent, model, limit),
      headers: passed,
    });
    if (answer.status >= 300) throw await refusalOf(model, upstream, answer);
    if (answer.content_type.startsWith('text/event-stream')) return streamed(attempt, upstream, answer);
    return await whole(attempt, upstream, answer);
  } catch (error) {
    if (error instanceof AttemptFailed && !error.canCost) settle(attempt, 'refused', {});
    else settle(attempt, 'failed', undefined);
    throw error;
  }
}

function reservationOf(
  wire: Wire,
  asked: AskedOfModel,
  { key, model, caller, hold_id, attempt }: Facts & { model: Model; caller: Payer; hold_id: string; attempt: number },
): Reservation {
  if (model.kind !== wire.kind)
    throw new Problem('invalid', { detail: `models/${model.name} is called in the format of ${model.kind}.` });
  const { price } = model;
  const { input_classes, choices, unbounded } = asked;
  const input_tokens = mostInputTokens(asked, model);
  const input = { input_tokens, input_classes };
  const { max_tokens = Infinity } = key.settings;
  const output_tokens = Math.min(asked.output_tokens ?? model.max_output_tokens, max_tokens) * choices;
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
    deadline_seconds: model.timeouts.total_ms / 1000 + settling_seconds,
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
      attempt,
      price: price?.version ?? null,
    },
  };
}

function mostInputTokens(
  { input_tokens, images, contexts }: AskedOfModel,
  { context_window_tokens = Infinity, image_max_tokens: own = image_max_tokens }: Model,
): number {
  // The upstream refuses what exceeds its context.
  return Math.min(input_tokens + images * (own - image_max_tokens), contexts * context_window_tokens);
}

function labelOf(caller: Payer, key: Facts['key'], account_id: string): string {
  if (caller.kind === 'tester')
    return key.team !== null && account_id === caller.accounts[0] ? `team:${key.team}` : 'the organisation';
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
    nano: outcome === 'refused' ? 0 : usage && nanoOf(model, usage),
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

async function whole(attempt: Attempt, upstream: Upstream, answer: UpstreamAnswer): Promise<Reply> {
  const { wire, model, client } = attempt;
  const reading = readWhole(model, upstream, answer);
  const left = Promise.withResolvers<undefined>();
  client.addEventListener('abort', () => left.resolve(undefined), { once: true });
  if (client.aborted) left.resolve(undefined);
  const bytes = (await Promise.race([reading, left.promise])) ?? (await within(drain_ms, reading));
  if (bytes === undefined) {
    reading.catch(() => {}); // nobody waits for it any more
    answer.body.destroy();
    throw new AttemptFailed(unavailable(model, 'the client has left'), { kind: 'abandoned' });
  }
  const said = readJson(bytes);
  if (said === undefined)
    throw new AttemptFailed(
      new Problem('model_error', { detail: `models/${model.name} answered with something else than JSON.` }),
      { kind: 'broken' },
    );
  const counts = wire.countsIn(said);
  settle(attempt, 'answered', counts && wire.usageOf(counts));
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes };
}

async function readWhole(model: Model, upstream: Upstream, { body }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > max_answer_bytes) throw new RangeError(`its answer exceeds ${max_answer_bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new AttemptFailed(unavailable(model, brokenBy(cause, model, upstream)), { kind: 'broken', cause });
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

function streamed(attempt: Attempt, upstream: Upstream, { content_type, body }: UpstreamAnswer): Reply {
  return {
    status: 200,
    headers: { 'content-type': content_type, 'cache-control': 'no-store' },
    body: eventsOf(attempt, upstream, body),
  };
}

async function* eventsOf(
  attempt: Attempt,
  upstream: Upstream,
  body: UpstreamAnswer['body'],
): AsyncGenerator<Uint8Array | string> {
  const { wire, sent, gateway, model } = attempt;
  const events = wholeEvents(body[Symbol.asyncIterator](), max_event_bytes);
  let counts: Json | undefined;
  let isOver = false;
  const look = (bytes: Buffer) => {
    const seen = readEvents(bytes, { wire, sent, counts });
    ({ counts } = seen);
    return seen;
  };
  const settleWhole = () => settle(attempt, 'answered', counts && wire.usageOf(counts));
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const { bytes, has_error } = look(next.value);
      yield has_error ? withoutCredentials(bytes.toString(), upstream.credential) : bytes;
    }
    isOver = true;
    settleWhole();
  } catch (cause) {
    isOver = true;
    // Some vendors count as they go on, so the last counts are not those of the end.
    settle(attempt, 'failed', undefined);
    const problem = unavailable(model, brokenBy(cause, model, upstream));
    gateway.health.failed(placeOf(model, upstream), problem.detail);
    gateway.onBroken(cause);
    yield wire.printBreak(problem);
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
