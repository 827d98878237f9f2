// The steps of a call to a model: read → admit → guardrails of the request → dispatch → answer → settle → guardrails of the answer. Promises:
// nothing reaches an upstream without a committed hold, and each hold is settled, whatever happens to the client, the upstream or this process.
import { randomUUIDv7 } from 'node:crypto';
import { Blocked, type AskFor } from '../../guardrails/guarded-call.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { placeOfNobody, type Place } from '../../../governance/http/shares/work-places.ts';
import type { RunOfCall } from '../../ledger/books.ts';
import { passAnswer } from '../upstream/answer.ts';
import { settle, type Attempt } from '../upstream/attempt.ts';
import { AttemptFailed } from '../upstream/attempt-failed.ts';
import type { Call } from '../upstream/attempts.ts';
import type { Payer } from './facts.ts';
import { concernsRequests, guardedRequest } from '../judging/guarded-request.ts';
import type { Upstream } from '../model.ts';
import type { GatewayParts } from '../parts.ts';
import type { CallSpan } from '../record-call.ts';
import { sentLimit } from './output-limit.ts';
import { refusalOf } from '../upstream/refusal.ts';
import { requireAddress } from '../upstream/require-address.ts';
import { reservationOf } from './reservation.ts';
import { dispatch } from '../upstream/upstream.ts';
import type { Json, Wire } from '../wires/wire.ts';

export interface CallInput {
  sent: Json;
  caller: Payer;
  run: RunOfCall;
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
  /** For the judges of its guardrails. */
  ask: AskFor;
  span?: CallSpan;
  /** Around each wait for the ledger and for the upstream. */
  whileWaiting?: Place['whileWaiting'];
}

/** The steps of a call. Throws `invalid`. */
export function openCall(
  gateway: GatewayParts,
  wire: Wire,
  { sent, caller, run, headers, signal, ask, span, whileWaiting = placeOfNobody.whileWaiting }: CallInput,
): Call<Attempt> {
  const read = (body: Json): Asked => {
    // The upstream gets this text, and not the client's: a number can be longer in it.
    const asked = wire.read(body, JSON.stringify(body));
    for (const address of asked.addresses) requireAddress(gateway, address);
    return { sent: body, asked, guarded: undefined };
  };
  const passed = passedHeaders(wire, headers);
  const call_id = randomUUIDv7();
  let current = read(sent);
  let isChecked = false;
  const hold = async (model: string, attempt: number): Promise<Attempt> => {
    const { asked } = current;
    const hold_id = randomUUIDv7();
    const admitting = gateway.admission.admit({
      caller,
      hold_id,
      model,
      reservation: (facts) => reservationOf(wire, asked, { ...facts, caller, run, call_id, hold_id, attempt }),
    });
    // All that wait share a transaction, so many calls of a key are admitted at once.
    const admitted = await whileWaiting(admitting);
    return {
      gateway,
      wire,
      ...current,
      passed,
      caller,
      run,
      call_id,
      hold_id,
      client: signal,
      span,
      whileWaiting,
      ...admitted,
    };
  };
  return {
    model: current.asked.model,
    admit: async (model, attempt) => {
      const held = await hold(model, attempt);
      if (isChecked || !concernsRequests(held.rules)) return held;
      isChecked = true;
      try {
        const { body, guarded } = await guardedRequest(held, ask);
        current = { ...read(body), guarded };
      } catch (error) {
        settle(held, 'refused', {});
        throw error;
      }
      // A placeholder can be longer than its value.
      if (current.asked.input_tokens <= held.asked.input_tokens) return { ...held, ...current };
      settle(held, 'refused', {});
      return await hold(model, attempt);
    },
    send,
    release: (attempt) => settle(attempt, 'refused', {}),
    signal,
  };
}

/** The part of an attempt that the guardrails can change. */
type Asked = Pick<Attempt, 'sent' | 'asked' | 'guarded'>;

function passedHeaders({ passed_headers }: Wire, headers: RequestHeaders): Record<string, string> {
  const given = passed_headers.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== null));
}

async function send(attempt: Attempt, chosen: Upstream): Promise<Reply> {
  const { gateway, wire, sent, passed, key, model, whileWaiting } = attempt;
  const { temperature } = key.settings;
  const limit = {
    ...sentLimit(attempt),
    temperature: model.takes_temperature ? temperature : undefined,
  };
  // The hold must be settled even if the request has ended meanwhile.
  try {
    const body = wire.write(sent, model, limit);
    const upstream = await whileWaiting(gateway.google_tokens.authorize(model, chosen));
    const answer = await whileWaiting(
      dispatch(gateway, { wire, model, upstream, body, headers: passed, signal: attempt.client }),
    );
    if (answer.status >= 300) throw await refusalOf(model, upstream, answer);
    return await passAnswer(attempt, upstream, answer);
  } catch (error) {
    // The upstream has answered, and its usage is settled.
    if (error instanceof Blocked || error === attempt.client.reason) throw error;
    if (error instanceof AttemptFailed && !error.canCost) settle(attempt, 'refused', {});
    else settle(attempt, 'failed', undefined);
    throw error;
  }
}
