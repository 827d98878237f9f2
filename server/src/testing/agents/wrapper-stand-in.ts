// A container as the ingress sees it: its starts, its runs, and the sendings that it refuses. As the wrapper, without agent code.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface WrapperStandIn {
  listener: RequestListener;
  /** The ids of the calls that it has begun, in all its starts. */
  begun: string[];
  /** The calls of which it has said that they run. */
  told: Set<string>;
  /** The last sending that it refuses, by the id of the call. */
  refused: Map<string, number>;
  /** `POST /invoke` and the like, with ID for the id of a run. */
  asked: string[];
  /** Runs begin, and end when this is called. */
  hold: () => void;
  endRuns: (output: string) => void;
  /** The process is killed, and another start answers at its address. */
  restart: () => void;
  /** A container does not accept connections while this is true. */
  isBusy: boolean;
}

const json = { 'content-type': 'application/json' };

/** `older`: a wrapper that tells no starts and refuses nothing. */
export function wrapperStandIn({ older = false } = {}): WrapperStandIn {
  let start = randomUUID();
  let isHolding = false;
  let runs = new Map<string, { status: 'running' | 'completed'; output: string; waiting: ServerResponse[] }>();
  const own: WrapperStandIn = {
    begun: [],
    told: new Set(),
    refused: new Map(),
    asked: [],
    isBusy: false,
    hold: () => void (isHolding = true),
    endRuns: (output) => {
      isHolding = false;
      for (const run of runs.values()) {
        Object.assign(run, { status: 'completed', output });
        for (const response of run.waiting.splice(0)) answer(response, output);
      }
    },
    restart: () => {
      for (const { waiting } of runs.values()) for (const { req } of waiting) req.socket.destroy();
      runs = new Map();
      start = randomUUID();
      own.refused.clear();
    },
    listener: (request, response) => {
      if (!older) response.setHeader('x-svc-start', start);
      own.asked.push(`${request.method} ${request.url?.replace(/[0-9a-f-]{36}/, 'ID').replace(/\?.*/, '')}`);
      request.resume().once('end', () => reply(request, response));
    },
  };
  const answer = (response: ServerResponse, output: string) =>
    response.writeHead(200, json).end(JSON.stringify({ output }));
  const refuse = (response: ServerResponse, [status, code]: [number, string], not_begun?: string) =>
    void response
      .writeHead(status, {
        'content-type': 'application/problem+json',
        ...(not_begun && { 'x-svc-not-begun': not_begun }),
      })
      .end(JSON.stringify({ code, detail: code }));

  function reply({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    if (url === '/health') return void response.writeHead(200, json).end('{}');
    if (url === '/invoke') return invoke(headers, response);
    const id = /[0-9a-f-]{36}/.exec(url)?.[0] ?? '';
    const run = runs.get(id);
    if (url.includes('/refuse') && !older) {
      if (run !== undefined) return refuse(response, [409, 'run_exists']);
      own.refused.set(id, Number(new URL(url, 'http://agent').searchParams.get('attempt')));
      return void response.writeHead(200, json).end('{}');
    }
    if (run === undefined) return refuse(response, [404, 'run_not_found']);
    if (url.includes('/answer') && run.status === 'completed') return void answer(response, run.output);
    own.told.add(id);
    response
      .writeHead(url.includes('/answer') ? 202 : 200, json)
      .end(JSON.stringify({ run_id: id, status: run.status }));
  }

  function invoke(headers: IncomingMessage['headers'], response: ServerResponse): void {
    const id = String(headers['x-svc-run-id']);
    if (!older && (headers['x-svc-start'] ?? start) !== start)
      return refuse(response, [503, 'other_start'], 'other-start');
    if (Number(headers['x-svc-attempt'] ?? 0) <= (own.refused.get(id) ?? -1))
      return refuse(response, [409, 'sending_refused'], 'refused');
    if (runs.has(id)) return refuse(response, [409, 'run_exists']);
    own.begun.push(id);
    const run = {
      status: isHolding ? ('running' as const) : ('completed' as const),
      output: 'said',
      waiting: [response],
    };
    runs.set(id, run);
    if (!isHolding) answer(response, run.output);
  }
  return own;
}
