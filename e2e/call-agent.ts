import { setTimeout as delay } from 'node:timers/promises';
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';

interface Called {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON, with the members that tests read. */
  json: {
    code?: string;
    detail?: string;
    run_id?: string;
    run_status?: string;
    status?: string | number;
    thread_id?: string;
    output?: { result?: unknown; remembered?: unknown[]; [field: string]: unknown };
  };
}

export interface Agent {
  /** One request and its answer. */
  send(path: string, init?: RequestInit): Promise<Called>;
  /** Calls with this `input`; after a 202, the final answer. */
  ask(input: object, more?: object): Promise<Called>;
  /** Polls a run of the caller until it has ended. */
  ending(run_id: string | undefined): Promise<Called>;
  /** The events, as they arrive. */
  stream(input: object, signal?: AbortSignal): Promise<AsyncGenerator<{ type: string; [field: string]: unknown }>>;
}

/** A plain HTTP client's way to an agent. */
export function callAgent(agent_url: string, token: string): Agent {
  const send: Agent['send'] = async (path, { headers, ...init } = {}) => {
    const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...(headers as object) };
    const answered = await fetch(agent_url + path, { signal: AbortSignal.timeout(120_000), ...init, headers: all });
    const text = await answered.text();
    const isJson = answered.headers.get('content-type')?.includes('json') === true;
    return {
      status: answered.status,
      headers: answered.headers,
      text,
      json: isJson ? (JSON.parse(text) as Called['json']) : {},
    };
  };
  const ending: Agent['ending'] = async (run_id) => {
    for (;;) {
      const called = await send(`/runs/${run_id}`);
      if (called.status !== 202) return called;
      await delay(200);
    }
  };
  return {
    send,
    ending,
    ask: async (input, more = {}) => {
      const called = await send('/invoke', { method: 'POST', body: JSON.stringify({ input, ...more }) });
      return called.status === 202 ? await ending(called.json.run_id) : called;
    },
    stream: async (input, signal) => {
      const answered = await fetch(`${agent_url}/stream`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (answered.status !== 200 || answered.body === null) throw new Error(await answered.text());
      return parsed(answered.body);
    },
  };
}

async function* parsed(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for await (const { data } of readServerSentEvents(body)) yield JSON.parse(data) as { type: string };
}
