// A call to a model: read → admit → (checks of the input) → dispatch → answer → (checks of the output) → settle. Promises: nothing reaches an
// upstream without a committed hold, and each hold is settled, whatever happens to the client, the upstream or this process.
import { randomUUIDv7 } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../access/caller.ts';
import { parseJson } from '../http/body.ts';
import type { Reply } from '../http/reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { RunOfCall } from '../ledger/books.ts';
import type { TraceContext } from '../trace-context.ts';
import { passAnswer } from './answer.ts';
import { settle, type Attempt } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { callInTurn, type Call } from './attempts.ts';
import type { Payer } from './facts.ts';
import type { Upstream } from './model.ts';
import type { GatewayParts } from './parts.ts';
import { refusalOf } from './refusal.ts';
import { requireAddress } from './require-address.ts';
import { reservationOf } from './reservation.ts';
import { runOfCall } from './run-of-call.ts';
import { dispatch } from './upstream.ts';
import { isJson, type Json, type Wire } from './wires/wire.ts';

export interface Incoming {
  caller: KeyCaller;
  body: Uint8Array;
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
  trace: TraceContext;
}

/** No vendor knows so many; each takes time. */
const max_members = 200;

export async function callModel(gateway: GatewayParts, wire: Wire, { body, ...incoming }: Incoming): Promise<Reply> {
  const sent = parseJson(body);
  if (!isJson(sent)) throw new Problem('malformed', { detail: 'The body must be a JSON object.' });
  if (Object.keys(sent).length > max_members)
    throw new Problem('malformed', { detail: `The body has more than ${max_members} members.` });
  const run = runOfCall(gateway.run_key, incoming);
  return await callInTurn(gateway.health, openCall(gateway, wire, { sent, run, ...incoming }));
}

interface Sent extends Pick<Incoming, 'headers' | 'signal'> {
  sent: Json;
  caller: Payer;
  run: RunOfCall;
}

/** The steps of a call. Throws `invalid`. */
export function openCall(
  gateway: GatewayParts,
  wire: Wire,
  { sent, caller, run, headers, signal }: Sent,
): Call<Attempt> {
  // The upstream gets this text, and not the client's: a number can be longer in it.
  const asked = wire.read(sent, JSON.stringify(sent));
  for (const address of asked.addresses) requireAddress(gateway, address);
  const passed = passedHeaders(wire, headers);
  const call_id = randomUUIDv7();
  return {
    model: asked.model,
    admit: async (model, attempt) => {
      const hold_id = randomUUIDv7();
      const admitted = await gateway.admission.admit({
        caller,
        hold_id,
        model,
        reservation: (facts) => reservationOf(wire, asked, { ...facts, caller, run, call_id, hold_id, attempt }),
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
    return await passAnswer(attempt, upstream, answer);
  } catch (error) {
    if (error instanceof AttemptFailed && !error.canCost) settle(attempt, 'refused', {});
    else settle(attempt, 'failed', undefined);
    throw error;
  }
}
