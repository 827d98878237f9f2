// Our own stand-in for Google, because nothing that can be installed has worker pools: operations that take a moment, the log, permissions and
// tokens. It says nothing about Google itself. Secret Manager is an emulator of others behind it (drongo.ts).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { randomUUID, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { google_token_address } from '../../ground/google-assertion.ts';
import { poolTemplate } from '../../agents/deploy/targets/gcp/pool.ts';
import type { PoolContainers, Said } from './pool-containers.ts';

interface Pool {
  body: Record<string, unknown>;
  scaling: { manualInstanceCount: number };
}

interface Answer {
  status: number;
  body: unknown;
}

export interface GoogleCloud {
  baseOf: (api: string) => string;
  addresses: { token: string; machine: string };
  /** The worker pools, by id. */
  pools: Map<string, Pool>;
  /** Permissions that the service has not. */
  missing: Set<string>;
  /** The sentences with which the next operations fail. */
  failures: string[];
  /** The entries of the log that are answered at once. */
  page_lines: number;
  say(said: Said): void;
  /** Who has got a token. */
  issued: string[];
  stop(): Promise<void>;
}

interface Parts {
  secrets: string;
  project: string;
  public_key: KeyObject;
  containers?: PoolContainers;
}

const refused = (status: number, reason: string, message: string): Answer => ({
  status,
  body: { error: { code: status, status: reason, message } },
});
const answered = (body: unknown): Answer => ({ status: 200, body });

/** Polls until an operation is done. */
const polls = 2;

export async function startGoogleCloud({ secrets, project, public_key, containers }: Parts): Promise<GoogleCloud> {
  const pools: GoogleCloud['pools'] = new Map();
  const missing: GoogleCloud['missing'] = new Set();
  const failures: string[] = [];
  const issued: string[] = [];
  const entries: (Said & { id: string })[] = [];
  const operations = new Map<
    string,
    { polls: number; work: Promise<string | undefined>; error?: string; isOver: boolean }
  >();
  const tokens = new Set<string>();

  function operation(place: string, work: () => Promise<void>): Answer {
    const name = `${place}/operations/${randomUUID()}`;
    const failure = failures.shift();
    const one: { polls: number; work: Promise<string | undefined>; error?: string; isOver: boolean } = {
      polls: 0,
      isOver: false,
      work: (failure === undefined ? work() : Promise.reject(new Error(failure))).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    };
    void (async () => {
      const error = await one.work;
      if (error !== undefined) one.error = error;
      one.isOver = true;
    })();
    operations.set(name, one);
    return answered({ name, metadata: {} });
  }

  function poll(name: string): Answer {
    const one = operations.get(name);
    if (one === undefined) return refused(404, 'NOT_FOUND', `${name} is not there`);
    if (!one.isOver || ++one.polls < polls) return answered({ name, done: false });
    return answered({
      name,
      done: true,
      ...(one.error === undefined ? { response: {} } : { error: { code: 9, message: one.error } }),
    });
  }

  const hasVersion = async (name: string) => {
    const asked = await fetch(`${secrets}/v1/projects/${project}/secrets/${name}/versions/latest:access`);
    return asked.status === 200;
  };
  async function requireSecrets(body: unknown): Promise<void> {
    for (const { env } of templateOf(body).containers)
      for (const one of env)
        if ('valueSource' in one && !(await hasVersion(one.valueSource.secretKeyRef.secret)))
          throw new Error(`Secret ${one.valueSource.secretKeyRef.secret}/versions/latest was not found`);
  }

  const templateOf = (body: unknown) => poolTemplate.parse((body as Pool['body'])['template']);
  function pool(
    verb: string,
    { place, id, query, body }: { place: string; id: string; query: URLSearchParams; body: unknown },
  ): Answer {
    const known = pools.get(id);
    const name = `${place}/workerPools/${id}`;
    if (verb === 'POST') {
      const own = query.get('workerPoolId') ?? '';
      if (pools.has(own)) return refused(409, 'ALREADY_EXISTS', `Resource '${own}' already exists.`);
      const given = body as Pool['body'] & Pick<Pool, 'scaling'>; // our own client sends it
      const more = {
        name: `${place}/workerPools/${own}`,
        uid: randomUUID(),
        createTime: new Date().toISOString(),
        etag: `"${randomUUID()}"`,
      };
      return operation(place, async () => {
        await requireSecrets(body);
        pools.set(own, { body: { ...given, ...more }, scaling: given.scaling });
        if (given.scaling.manualInstanceCount > 0) await containers?.start(own, templateOf(body));
      });
    }
    if (known === undefined) return refused(404, 'NOT_FOUND', `Resource '${id}' was not found`);
    if (verb === 'GET') return answered(known.body);
    if (verb === 'DELETE')
      return operation(place, async () => {
        await containers?.stop(id);
        pools.delete(id);
      });
    const given = body as Pool['body'];
    if (given['etag'] !== known.body['etag']) return refused(409, 'ABORTED', `${name} has another etag`);
    return operation(place, async () => {
      for (const field of (query.get('updateMask') ?? '').split(',')) known.body[field] = given[field];
      known.body['etag'] = `"${randomUUID()}"`;
      await Promise.resolve();
    });
  }

  /** Two at once, so that pages are read. */
  function list(query: URLSearchParams): Answer {
    const from = Number(query.get('pageToken') ?? 0);
    const all = [...pools.values()].map(({ body }) => body);
    const more = from + 2 < all.length ? { nextPageToken: String(from + 2) } : {};
    return answered({ workerPools: all.slice(from, from + 2), ...more });
  }

  const found: GoogleCloud = {
    baseOf: () => '',
    addresses: { token: '', machine: '' },
    pools,
    missing,
    failures,
    issued,
    page_lines: 3,
    say: (said) => void entries.push({ ...said, id: randomUUID() }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await containers?.close();
    },
  };

  /** Knows exactly the filters that the service sends. */
  function readLog(body: { filter: string; orderBy: string; pageSize: number; pageToken?: string }): Answer {
    const quoted = (line: string) => [...line.matchAll(/"([^"]*)"/g)].map(([, one = '']) => one);
    const lines = body.filter.split('\n');
    const of = (beginning: string) => quoted(lines.find((line) => line.startsWith(beginning)) ?? '');
    const known = [
      'resource.type="cloud_run_worker_pool"',
      'resource.labels.location="',
      'resource.labels.worker_pool_name=',
      'logName=',
      'timestamp>=',
    ];
    if (lines.some((line) => !known.some((one) => line.startsWith(one))))
      return refused(400, 'INVALID_ARGUMENT', 'unparseable filter');
    const [ids, logs, [since = '']] = [of('resource.labels.worker_pool_name='), of('logName='), of('timestamp>=')];
    const logOf = ({ log }: Said) => `projects/${project}/logs/run.googleapis.com%2F${log.replace('/', '%2F')}`;
    const fits = entries
      .filter((one) => ids.includes(one.pool) && logs.includes(logOf(one)) && one.at >= since)
      .toSorted((one, other) => one.at.localeCompare(other.at));
    if (body.orderBy === 'timestamp desc') fits.reverse();
    const from = Number(body.pageToken ?? 0);
    const page = fits.slice(from, from + Math.min(found.page_lines, body.pageSize));
    const next = from + page.length < fits.length ? { nextPageToken: String(from + page.length) } : {};
    return answered({
      entries: page.map((one) => ({
        timestamp: one.at,
        insertId: one.id,
        logName: logOf(one),
        ...payloadOf(one.text),
      })),
      ...next,
    });
  }

  async function giveToken(body: string): Promise<Answer> {
    const asked = new URLSearchParams(body);
    if (asked.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    try {
      const { payload } = await jwtVerify(asked.get('assertion') ?? '', public_key, {
        audience: google_token_address,
        maxTokenAge: '1h',
      });
      issued.push(String(payload.iss));
      return answered({ access_token: newToken(), expires_in: 3599, token_type: 'Bearer' });
    } catch {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
  }
  const newToken = () => {
    const token = `ya29.${randomUUID()}`;
    tokens.add(token);
    return token;
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://google');
    const sent = await readText(request);
    if (pathname === '/token') return await giveToken(sent);
    if (pathname === '/machine')
      return request.headers['metadata-flavor'] === 'Google'
        ? answered({ access_token: newToken(), expires_in: 3599, token_type: 'Bearer' })
        : { status: 403, body: {} };
    if (!tokens.has((request.headers.authorization ?? '').replace('Bearer ', '')))
      return refused(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    const verb = request.method ?? '';
    const at = /^\/run\/v2\/(projects\/[^/]+\/locations\/[^/]+)\/(workerPools|operations)(?:\/([^/]+))?$/.exec(
      pathname,
    );
    const [, place = '', kind, id] = at ?? [];
    if (kind === 'operations') return poll(`${place}/operations/${id}`);
    if (kind === 'workerPools' && verb === 'GET' && id === undefined) return list(query);
    if (kind === 'workerPools') return pool(verb, { place, id: id ?? '', query, body });
    if (pathname === '/logging/v2/entries:list') return readLog(body as Parameters<typeof readLog>[0]);
    if (pathname.endsWith(':testIamPermissions')) {
      const { permissions } = body as { permissions: string[] };
      return answered({ permissions: permissions.filter((one) => !missing.has(one)) });
    }
    // A page, as Google answers a path that it does not know.
    return { status: 404, body: undefined };
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request)
      .catch((error: unknown) => refused(500, 'INTERNAL', String(error)))
      .then(({ status, body }) =>
        response.writeHead(status).end(body === undefined ? '<html></html>' : JSON.stringify(body)),
      )
      .catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  found.baseOf = (api) => (api === 'secretmanager' ? secrets : `${base}/${api}`);
  found.addresses = { token: `${base}/token`, machine: `${base}/machine` };
  return found;
}

/** A line of JSON is kept as its members. */
function payloadOf(line: string): object {
  try {
    const said: unknown = JSON.parse(line);
    if (typeof said === 'object' && said !== null) return { jsonPayload: said };
  } catch {
    // Any other line.
  }
  return { textPayload: line };
}
