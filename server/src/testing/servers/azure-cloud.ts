// Our own stand-in for Azure, because nothing that can be installed has container apps: operations that take a moment, the log, permissions, tokens
// and the login of a registry. It says nothing about Azure itself.
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AzureEmulator } from '../../agents/deploy/targets/azure/azure.ts';
import type { Api } from '../../agents/deploy/targets/azure/credential.ts';
import type { replica } from '../../agents/deploy/targets/azure/requests.ts';
import { environmentOf, groupOf, type AzureSettings } from '../../agents/deploy/targets/azure/settings.ts';
import type { PoolTemplate } from '../../agents/deploy/targets/gcp/pool.ts';
import type { PoolContainers, Said } from './pool-containers.ts';

type Body = ReturnType<typeof replica>['body'];

interface StoredApp {
  body: Body;
  state: 'InProgress' | 'Succeeded' | 'Failed';
  at: string;
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface AzureCloud extends Pick<AzureEmulator, 'hosts' | 'addresses'> {
  /** The container apps, by name. */
  apps: Map<string, StoredApp>;
  /** Actions that the service has not. */
  missing: Set<string>;
  /** The sentences with which the next operations fail. */
  failures: string[];
  say(said: Said): void;
  /** Who has got a token, and for what. */
  issued: string[];
  /** Puts the login of Azure's registries before another one. Everybody pulls there. */
  registryBefore(address: string): Promise<string>;
  stop(): Promise<void>;
}

interface Parts {
  settings: AzureSettings;
  credential: { tenant: string; appId: string; password: string };
  containers?: PoolContainers;
}

const refused = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
});
const answered = (body: unknown): Answer => ({ status: 200, body });
const scopes: Record<string, Api> = {
  'https://management.azure.com/.default': 'arm',
  'https://api.loganalytics.azure.com/.default': 'logs',
};
/** Polls until an operation is done. */
const polls = 2;
const page_apps = 2;

export async function startAzureCloud({ settings, credential, containers }: Parts): Promise<AzureCloud> {
  const { subscription, workspace } = settings;
  const group = groupOf(settings);
  const apps: AzureCloud['apps'] = new Map();
  const failures: string[] = [];
  const missing: AzureCloud['missing'] = new Set();
  const issued: string[] = [];
  const lines: Said[] = [];
  const tokens = new Map<string, Api>();
  const refresh_tokens = new Set<string>();
  const operations = new Map<string, { polls: number; isOver: boolean; error?: string }>();
  const servers: { close: () => void }[] = [];

  const listen = async (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  };

  const serve = async (answer: (request: IncomingMessage, url: URL, sent: string) => Answer): Promise<string> =>
    await listen((request, response) => {
      void (async () => {
        const sent = await readText(request);
        const { status, body, headers = {} } = answer(request, new URL(request.url ?? '', 'http://azure'), sent);
        response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
      })().catch(() => response.destroy());
    });

  function begin(kind: 'Statuses' | 'Results', work: () => Promise<void>): Answer {
    const id = randomUUID();
    const one: { polls: number; isOver: boolean; error?: string } = { polls: 0, isOver: false };
    const failure = failures.shift();
    void (async () => {
      try {
        if (failure !== undefined) throw new Error(failure);
        await work();
      } catch (error) {
        one.error = (error as Error).message;
      }
      one.isOver = true;
    })();
    operations.set(id, one);
    const at = `${found.hosts.arm}/subscriptions/${subscription}/providers/Microsoft.App/locations/westeurope/containerappOperation${kind}/${id}?api-version=2025-07-01&t=1&h=a_B-c`;
    return {
      status: kind === 'Statuses' ? 201 : 202,
      headers: kind === 'Statuses' ? { 'azure-asyncoperation': `${at}&azureAsyncOperation=true` } : { location: at },
    };
  }

  function poll(kind: string, id: string): Answer {
    const one = operations.get(id);
    if (one === undefined) return refused(404, 'OperationNotFound', `${id} is not there`);
    const isOver = one.isOver && ++one.polls >= polls;
    if (!isOver) return kind === 'Results' ? { status: 202 } : answered({ status: 'InProgress' });
    if (one.error !== undefined)
      return answered({ status: 'Failed', error: { code: 'ContainerAppOperationError', message: one.error } });
    return kind === 'Results' ? { status: 204 } : answered({ status: 'Succeeded' });
  }

  /** As it is read: without values of secrets, and with fields that nobody asked for. */
  function shown(name: string, { body, state, at }: StoredApp): object {
    const { configuration, template } = body.properties;
    return {
      ...body,
      id: `${group}/providers/Microsoft.App/containerapps/${name}`,
      name,
      type: 'Microsoft.App/containerApps',
      location: 'West Europe',
      systemData: { createdAt: at, createdByType: 'Application' },
      properties: {
        ...body.properties,
        provisioningState: state,
        runningStatus: 'Running',
        configuration: {
          ingress: null,
          dapr: null,
          maxInactiveRevisions: 100,
          ...configuration,
          secrets: configuration.secrets.map((one) => ({ name: one.name })),
        },
        template: {
          revisionSuffix: '',
          ...template,
          containers: template.containers.map((one) => ({ probes: [], imageType: 'ContainerImage', ...one })),
        },
      },
    };
  }

  const templateOf = (name: string, { properties }: Body): PoolTemplate => ({
    labels: {},
    serviceAccount: '',
    containers: properties.template.containers.map(({ name: of, image, command, env }) => ({
      name: of,
      image,
      command: [...command],
      workingDir: '',
      env: env.map((one) =>
        'secretRef' in one
          ? {
              name: one.name,
              valueSource: { secretKeyRef: { secret: `${name}/${one.secretRef}`, version: 'latest' } },
            }
          : one,
      ),
      resources: { limits: {} },
    })),
  });

  function app(verb: string, name: string, sent: string): Answer {
    const known = apps.get(name);
    if (verb === 'PUT') {
      const body = JSON.parse(sent) as Body; // our own client sends it
      const one: StoredApp = { body, state: 'InProgress', at: known?.at ?? new Date().toISOString() };
      apps.set(name, one);
      const answer = begin('Statuses', async () => {
        one.state = 'Succeeded';
        if (known === undefined) await containers?.start(name, templateOf(name, body));
      });
      return { ...answer, body: shown(name, one) };
    }
    if (known === undefined)
      return verb === 'DELETE'
        ? { status: 204 }
        : refused(404, 'ResourceNotFound', `The resource ${name} was not found.`);
    if (verb === 'GET') return answered(shown(name, known));
    return begin('Results', async () => {
      await containers?.stop(name);
      apps.delete(name);
    });
  }

  function list(query: URLSearchParams): Answer {
    const from = Number(query.get('$skipToken') ?? 0);
    const all = [...apps].map(([name, one]) => shown(name, one));
    const next = `${found.hosts.arm}${group.toLowerCase()}/providers/Microsoft.App/containerApps?api-version=2025-07-01&%24skipToken=${from + page_apps}`;
    return answered({
      value: all.slice(from, from + page_apps),
      ...(from + page_apps < all.length && { nextLink: next }),
    });
  }

  const arm = await serve((request, { pathname, searchParams: query }, sent) => {
    if (tokens.get(bearerOf(request)) !== 'arm')
      return refused(401, 'InvalidAuthenticationToken', 'The access token is invalid.');
    if (!query.has('api-version')) return refused(400, 'MissingApiVersionParameter', 'The api-version is required.');
    const [, kind = '', id = ''] = /\/containerappOperation(Statuses|Results)\/([^/]+)$/.exec(pathname) ?? [];
    if (kind !== '') return poll(kind, id);
    if (pathname === environmentOf(settings))
      return answered({
        location: 'West Europe',
        properties: { appLogsConfiguration: { logAnalyticsConfiguration: { customerId: workspace } } },
      });
    if (pathname === `${group}/providers/Microsoft.Authorization/permissions`)
      return answered({
        value: [
          { actions: ['*/read'], notActions: ['Microsoft.App/*'] },
          { actions: ['Microsoft.App/*'], notActions: [...missing] },
        ],
      });
    const [, name, rest = ''] =
      /^\/containerApps(?:\/([^/]+))?(\/listSecrets)?$/.exec(
        pathname.replace(`${group}/providers/Microsoft.App`, ''),
      ) ?? [];
    const known = name === undefined ? undefined : apps.get(name);
    if (rest !== '' && known !== undefined) return answered({ value: known.body.properties.configuration.secrets });
    if (name !== undefined && rest === '') return app(request.method ?? '', name, sent);
    if (pathname === `${group}/providers/Microsoft.App/containerApps`) return list(query);
    return refused(404, 'InvalidResourceType', `${pathname} is not known`);
  });

  /** Knows exactly the questions that the service asks. */
  const logs = await serve((request, { pathname }, sent) => {
    if (tokens.get(bearerOf(request)) !== 'logs') return refused(401, 'InvalidTokenError', 'The token is invalid.');
    if (pathname !== `/v1/workspaces/${workspace}/query`) return refused(404, 'PathNotFoundError', 'no such path');
    const { query } = z.object({ query: z.string() }).parse(JSON.parse(sent));
    const columns = ['TimeGenerated', 'Stream_s', 'Log_s'].map((name) => ({ name, type: 'string' }));
    const table = (rows: unknown[][]) => answered({ tables: [{ name: 'PrimaryResult', columns, rows }] });
    if (query === 'print 1') return table([[1]]);
    const form =
      /^union isfuzzy=true \(datatable\([^)]*\)\[\]\), ContainerApp(Console|System)Logs_CL\n\| where ContainerAppName_s in \(([^)]*)\)(?:\n\| where TimeGenerated >= datetime\(([^)]*)\))?\n\| sort by TimeGenerated (asc|desc)\n\| take (\d+)\n\| project TimeGenerated, Stream_s, Log_s$/;
    const [asked, kind, names = '', since = '', order, count] = form.exec(query) ?? [];
    if (asked === undefined) return refused(400, 'BadArgumentError', 'The query is not known.');
    const fits = lines
      .filter(({ pool, log, at }) => {
        const isSystem = log === 'varlog/system';
        return names.includes(`"${pool}"`) && isSystem === (kind === 'System') && at >= since;
      })
      .toSorted((one, other) => one.at.localeCompare(other.at));
    if (order === 'desc') fits.reverse();
    return table(fits.slice(0, Number(count)).map(({ at, log, text }) => [at.replace('Z', '0000Z'), log, text]));
  });

  const newToken = (api: Api, to: string): Answer => {
    const token = `eyJ.${randomUUID()}`;
    tokens.set(token, api);
    issued.push(`${to} ${api}`);
    return answered({ token_type: 'Bearer', access_token: token, expires_in: 3599 });
  };
  const login = await serve((request, { pathname, searchParams: query }, sent) => {
    if (pathname === '/machine') {
      const api = scopes[`${query.get('resource')}/.default`];
      return request.headers['metadata'] === 'true' && api !== undefined ? newToken(api, 'machine') : { status: 400 };
    }
    const given = new URLSearchParams(sent);
    const api = scopes[given.get('scope') ?? ''];
    const { tenant, appId, password } = credential;
    const isKnown = given.get('client_id') === appId && given.get('client_secret') === password;
    if (pathname !== `/${tenant}/oauth2/v2.0/token` || !isKnown || api === undefined)
      return { status: 401, body: { error: 'invalid_client', error_description: 'echo of the secret' } };
    return newToken(api, appId);
  });

  async function registryBefore(address: string): Promise<string> {
    const access = new Set<string>();
    const front = await listen((request, response) => {
      void (async () => {
        const url = new URL(request.url ?? '', front);
        const reply = (status: number, body: object, headers: Record<string, string> = {}) =>
          void response.writeHead(status, headers).end(JSON.stringify(body));
        if (url.pathname === '/oauth2/exchange') {
          const given = new URLSearchParams(await readText(request));
          const isKnown = tokens.get(given.get('access_token') ?? '') === 'arm';
          if (!isKnown || given.get('service') !== new URL(front).host) return reply(401, { errors: [] });
          const refresh_token = randomUUID();
          refresh_tokens.add(refresh_token);
          return reply(200, { refresh_token });
        }
        if (url.pathname === '/oauth2/token') {
          const [user, password = ''] = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64')
            .toString()
            .split(':');
          const isKnown = user === '00000000-0000-0000-0000-000000000000' && refresh_tokens.has(password);
          if (!isKnown) return reply(401, { errors: [] });
          const access_token = randomUUID();
          access.add(access_token);
          return reply(200, { access_token });
        }
        const isPull = request.method === 'GET' || request.method === 'HEAD';
        if (!isPull && !access.has(bearerOf(request))) {
          const header = `Bearer realm="${front}/oauth2/token",service="${new URL(front).host}"`;
          request.resume();
          return reply(401, { errors: [] }, { 'www-authenticate': header });
        }
        const { authorization: _, ...headers } = request.headers;
        const [hostname, port] = address.split(':');
        const onward = ask({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        request.pipe(onward);
      })().catch(() => response.destroy());
    });
    return front;
  }

  const found: AzureCloud = {
    hosts: { arm, logs },
    addresses: { login, machine: `${login}/machine` },
    apps,
    missing,
    failures,
    issued,
    say: (said) => void lines.push(said),
    registryBefore,
    stop: async () => {
      for (const server of servers) server.close();
      await containers?.close();
    },
  };
  return found;
}

const bearerOf = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace('Bearer ', '');
