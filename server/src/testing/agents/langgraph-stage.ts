// A deployed agent that answers as the wrapper does, and people who speak langgraph's API to it.
import type { ServerResponse } from 'node:http';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent, type StoredAgent } from '../stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { standInFor } from './agent-stand-in.ts';

/** A call as the agent has got it. */
interface Heard {
  path: string;
  body: Record<string, unknown>;
  graph: Record<string, unknown>;
  thread: string | undefined;
  run_id: string;
}

/** The members that a test reads one by one. */
interface Said {
  thread_id: string;
  run_id: string;
  status: string;
  code: string;
  detail: string;
  metadata: object;
  interrupts: object[];
  checkpoint: { checkpoint_id: string };
}

interface Answered {
  status: number;
  headers: Headers;
  text: string;
  json: Said;
  /** The same; each test knows which of the two it reads. */
  list: Said[];
}

export interface LanggraphStage {
  app: TestApp;
  agent: StoredAgent;
  cal: TestUser;
  eve: TestUser;
  /** Of another team. */
  otto: TestUser;
  heard: Heard[];
  /** The runs that the agent was told to cancel. */
  cancelled: string[];
  answer: (response: ServerResponse, heard: Heard) => void;
  /** The pictures of the graph that the agent was asked for. */
  asked: string[];
  draw: (response: ServerResponse) => void;
  /** What the agent says during a call whose events are heard beside it. */
  tell: (response: ServerResponse, run_id: string) => void;
  ask: (by: TestUser, method: string, path: string, body?: object) => Promise<Answered>;
  makeThread: (by?: TestUser, body?: object) => Promise<string>;
  /** Forgets what was heard, and answers as at first. */
  reset: () => void;
}

export async function langgraphStage(): Promise<LanggraphStage> {
  const app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  const owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  const agent = await storeAgent(app, owner.email, { name: 'chatter', yaml: 'access: {visibility: team}\n' });
  const ask: LanggraphStage['ask'] = async (by, method, path, body) => {
    const response = await fetch(`${app.url}/agents/chatter/langgraph${path}`, {
      method,
      headers: {
        authorization: `Bearer ${by.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const said: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json: said as Said, list: said as Said[] };
  };
  const usual: LanggraphStage['answer'] = (response, { path }) =>
    path === '/stream' ? told(response) : ended(response, { output: { said: 'hi' } });
  const cal = await app.user('cal@example.com', { teams: { ml: 'viewer' } });
  const stage: LanggraphStage = {
    app,
    agent,
    cal,
    eve: await app.user('eve@example.com', { teams: { ml: 'viewer' } }),
    otto: await app.user('otto@example.com', { teams: { ops: 'admin' } }),
    heard: [],
    cancelled: [],
    answer: usual,
    asked: [],
    draw: drawn,
    tell: told,
    ask,
    makeThread: async (by = cal, body = {}) => (await ask(by, 'POST', '/threads', body)).json.thread_id,
    reset: () => {
      stage.heard.splice(0);
      stage.cancelled.splice(0);
      stage.answer = usual;
      stage.tell = told;
      stage.asked.splice(0);
      stage.draw = drawn;
    },
  };
  await standInFor(app, agent, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const [, run_id] = /^\/runs\/([^/]+)\/cancel$/.exec(path) ?? [];
      if (run_id !== undefined) stage.cancelled.push(run_id);
      const [, told_run] = /^\/runs\/([^/]+)\/events$/.exec(path) ?? [];
      if (told_run !== undefined) return stage.tell(response, told_run);
      if (/^\/(graph|subgraphs)\?/.test(path)) {
        stage.asked.push(path);
        return stage.draw(response);
      }
      if (path !== '/invoke' && path !== '/stream') return ended(response, { output: null });
      const one = {
        path,
        body: JSON.parse(Buffer.concat(chunks).toString()) as Heard['body'],
        graph: JSON.parse(decodeURIComponent(String(headers['x-svc-graph']))) as Heard['graph'],
        thread: headers['x-svc-thread'] as string | undefined,
        run_id: String(headers['x-svc-run-id']),
      };
      stage.heard.push(one);
      stage.answer(response, one);
    });
  });
  await app.governed(sql`update revision set kept_by_service = true returning id`);
  return stage;
}

const drawn = (response: ServerResponse) => ended(response, { nodes: [], edges: [] });

export function ended(response: ServerResponse, more: object, status = 'completed'): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ run_id: '1', status, ...more }));
}

export function refused(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ code, detail: 'because' }));
}

function told(response: ServerResponse): void {
  const part = (mode: string, data: unknown, ns: string[] = []) => ({
    type: 'CUSTOM',
    name: 'langgraph',
    value: { mode, ns, data },
  });
  const events = [
    { type: 'RUN_STARTED' },
    part('messages', [{ type: 'AIMessageChunk', content: 'h' }, { langgraph_node: 'say' }]),
    part('updates', { say: { said: 'hi' } }, ['inner:1']),
    part('values', { said: 'hi' }),
    { type: 'RUN_FINISHED', result: { said: 'hi' }, outcome: { type: 'success' } },
  ];
  response.setHeader('content-type', 'text/event-stream');
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}
