// Clients of agents/waiter.py that call all the time. A client asks the other ingress when one refuses its connection. A call with a key is sent
// again until it has an end. A call or a stream without one ends with its connection.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';

export const kinds = ['plain', 'keyed', 'stream', 'detached', 'orchestration'] as const;
type Kind = (typeof kinds)[number];

export interface Ended {
  kind: Kind;
  /** The first word of its text. */
  call: string;
  /** The last ingress that it asked. */
  ingress: number;
  /** The call begins at `from` and ends at `to`, by the clock in milliseconds. */
  from: number;
  to: number;
  /** `cut`: its connection broke. `none`: no end in two minutes. Else what the service says of the run, or the code of its refusal. */
  end: string;
  reason: string | undefined;
  detail: string;
  /** The first event of a stream says that its run has begun. */
  is_told_begun?: boolean;
}

export interface Target {
  /** The addresses of the ingresses. */
  urls: readonly string[];
  token: string;
  agents: readonly string[];
  orchestration: string;
}

type End = Pick<Ended, 'end' | 'reason' | 'detail' | 'is_told_begun'>;
type Said = Record<string, unknown>;
type Accepted = { run_id: string };

const longest_ms = 120_000;
const after_refusal_ms = 500;

/** One client after the other has each kind. Ends when the calls after the abort have ended. */
export async function callAllTheTime(target: Target, clients: number, stop: AbortSignal): Promise<Ended[]> {
  const all: Ended[] = [];
  const client = async (n: number) => {
    const kind = kinds[n % kinds.length] ?? 'plain';
    for (let count = 0; !stop.aborted; count++) {
      const ended = await callOnce(target, kind, `${kind}-${n}-${count}`);
      all.push(ended);
      if (ended.end !== 'answered') await delay(after_refusal_ms);
    }
  };
  await Promise.all(Array.from({ length: clients }, async (_, n) => await client(n)));
  return all;
}

async function callOnce(target: Target, kind: Kind, call: string): Promise<Ended> {
  const asking = { ...target, path: pathOf(target, kind), ingress: anyOf(target.urls.length), key: randomUUID() };
  const text = `${call} ${Math.round(100 + Math.random() * 1400)}`;
  const from = Date.now();
  const end = await { plain, keyed, stream, detached, orchestration: keyed }[kind](asking, text);
  return { kind, call, from, to: Date.now(), ingress: asking.ingress, ...end };
}

interface Asking extends Target {
  path: string;
  /** Changes when one refuses a connection. */
  ingress: number;
  key: string;
}

function pathOf({ agents, orchestration }: Target, kind: Kind): string {
  return kind === 'orchestration' ? `/orchestrations/${orchestration}` : `/agents/${agents[anyOf(agents.length)]}`;
}

const anyOf = (length: number) => Math.floor(Math.random() * length);

/** Cut before it has an answer or a run id. */
async function plain(asking: Asking, text: string): Promise<End> {
  return await uncut(async () => {
    const answered = await post(asking, '/invoke', text);
    if (answered.status !== 202) return await answerOf(answered, text);
    const { run_id } = (await answered.json()) as Accepted;
    return await untilEnded(asking, async () => await send(asking, `/runs/${run_id}`), text);
  });
}

async function stream(asking: Asking, text: string): Promise<End> {
  return await uncut(async () => {
    const answered = await post(asking, '/stream', text);
    if (answered.status !== 200 || answered.body === null) return await answerOf(answered, text);
    let is_told_begun = false;
    for await (const { data } of readServerSentEvents(answered.body)) {
      const event = JSON.parse(data) as Said;
      is_told_begun ||= event['type'] === 'RUN_STARTED';
      if (event['type'] === 'RUN_FINISHED') return { end: 'answered', reason: undefined, detail: '' };
      if (event['type'] === 'RUN_ERROR')
        return {
          ...problemEnd({ ...event, detail: event['message'], ...(event['metadata'] as Said | undefined) }),
          is_told_begun,
        };
    }
    return { end: 'cut', reason: undefined, detail: 'the stream ended without its last event' };
  });
}

async function keyed(asking: Asking, text: string): Promise<End> {
  return await untilEnded(
    asking,
    async () => await post(asking, '/invoke', text, { 'idempotency-key': asking.key }),
    text,
  );
}

async function detached(asking: Asking, text: string): Promise<End> {
  const headers = { 'idempotency-key': asking.key, prefer: 'respond-async' };
  let run_id: string | undefined;
  const ask = async () => {
    if (run_id !== undefined) return await send(asking, `/runs/${run_id}`);
    const accepted = await post(asking, '/invoke', text, headers);
    if (accepted.status === 202) run_id = ((await accepted.clone().json()) as Accepted).run_id;
    return accepted;
  };
  return await untilEnded(asking, ask, text);
}

/** Asks again after 202, after a broken connection, and when the ingress stops. */
async function untilEnded(asking: Asking, ask: () => Promise<Response>, text: string): Promise<End> {
  const until = Date.now() + longest_ms;
  let last = 'no answer';
  while (Date.now() < until) {
    try {
      const answered = await ask();
      const end = answered.status === 202 ? undefined : await answerOf(answered, text);
      if (end !== undefined && end.end !== 'starting') return end;
      last = `${answered.status}`;
    } catch (error) {
      last = String(error);
      asking.ingress = (asking.ingress + 1) % asking.urls.length;
    }
    await delay(200);
  }
  return { end: 'none', reason: undefined, detail: last };
}

async function uncut(work: () => Promise<End>): Promise<End> {
  try {
    return await work();
  } catch (error) {
    return { end: 'cut', reason: undefined, detail: String(error) };
  }
}

async function post(
  asking: Asking,
  path: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const input = asking.path.startsWith('/agents') ? { text } : text;
  return await send(asking, path, { method: 'POST', body: JSON.stringify({ input }), headers });
}

interface Sending {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

async function send(asking: Asking, path: string, { headers: more, ...init }: Sending = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${asking.token}`, 'content-type': 'application/json', ...more };
  const signal = AbortSignal.timeout(longest_ms);
  for (;;)
    try {
      return await fetch(`${asking.urls[asking.ingress]}${asking.path}${path}`, { ...init, headers, signal });
    } catch (error) {
      if (!isRefused(error)) throw error;
      // Nothing was sent.
      asking.ingress = (asking.ingress + 1) % asking.urls.length;
      await delay(20, undefined, { signal });
    }
}

function isRefused(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
}

async function answerOf(answered: Response, text: string): Promise<End> {
  const said = (await answered.json()) as Said;
  if (answered.status !== 200) return problemEnd(said);
  const answer = JSON.stringify(said['output']);
  const [call = ''] = text.split(' ');
  const isRight = answer.includes(`${call}+`);
  return { end: isRight ? 'answered' : 'wrong answer', reason: undefined, detail: isRight ? '' : answer };
}

/** A failed member and a refusal have their end in the sentence alone. */
const sentences = {
  interrupted: 'before the run ended.',
  unknown: 'cannot tell whether the run began.',
  not_begun: 'did not begin',
  broken: 'broke before the end of its answer',
  restarting: 'is restarting.',
};

function problemEnd({ code, detail, run_status, reason }: Said): End {
  const told = String(detail);
  const [found] = Object.entries(sentences).find(([, sentence]) => told.includes(sentence)) ?? [];
  return {
    end: String(run_status ?? found ?? code),
    reason: typeof reason === 'string' ? reason : undefined,
    detail: told,
  };
}
