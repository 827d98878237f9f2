// Starts the requested roles in one process, at one address. This file opens the parts that several roles share. A role opens its own parts.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { awaitSchema } from './await-schema.ts';
import { refusalRecorder } from './governance/access/refused.ts';
import { destinations } from './governance/audit/push/destination.ts';
import { governanceHead } from './governance/audit/chain.ts';
import type { Config, RoleName } from './ground/config/config.ts';
import type { PoolSettings } from './ground/database/database.ts';
import { copies_pool, openCopies } from './ground/copies/copies.ts';
import { openConnections, takesInstances } from './agents/deploy/dial-in/open-connections.ts';
import { joinUpgrade } from './agents/deploy/dial-in/join.ts';
import { labelsFrom } from './agents/deploy/deployments/find-labels.ts';
import { instanceEpoch } from './agents/deploy/serving/serving.ts';
import type { AwsEmulator, AzureEmulator, GoogleEmulator, MoreTarget } from './agents/deploy/targets/index.ts';
import { deriveKey } from './ground/derive-key.ts';
import { agentGateways } from './agents/deploy/targets/docker/host-networks.ts';
import { firstUse } from './ground/first-use.ts';
import { openFoundation, type Foundation } from './foundation.ts';
import { openGuardrailRecord } from './models/guardrails/record.ts';
import { openConsole } from './governance/http/console.ts';
import { fairShares } from './governance/http/shares/fair-shares.ts';
import { carryOutOnce } from './governance/http/idempotency/idempotency.ts';
import { mount } from './governance/http/mount.ts';
import { peerReader } from './governance/http/request/peer.ts';
import { requestLog } from './governance/http/listening/request-log.ts';
import { serveAddresses } from './governance/http/listening/serve-addresses.ts';
import { serve, type Listening } from './governance/http/listening/serve.ts';
import type { Ways } from './governance/http/surface.ts';
import { sessionCookies } from './governance/http/request/session-cookie.ts';
import { entrance, openSessions, sessionWays } from './people/login/authenticate.ts';
import { clientTokens } from './people/login/clients/client-token.ts';
import { clientWay } from './people/login/clients/client-way.ts';
import { readAsOf } from './people/login/read-as-of.ts';
import { tokens as signedTokens } from './people/login/token.ts';
import type { Log } from './ground/log.ts';
import { openOutgoing } from './outgoing.ts';
import { installationId, settings } from './people/principals/find.ts';
import { seed, seed_password } from './people/principals/seed.ts';
import { openAgentCalls } from './roles/calls.ts';
import { openApi } from './roles/api.ts';
import { keyAuthenticator, keyWays } from './models/keys/calls/authenticate.ts';
import { issuesUserKeys } from './models/keys/holders/member-keys.ts';
import { openDoor, readDoorTls } from './roles/door.ts';
import { openDeploying } from './roles/deploying.ts';
import { openGatewayRole } from './roles/gateway.ts';
import { openIngressRole } from './roles/ingress.ts';
import { openModels } from './roles/models.ts';
import type { HostedPlugs } from './agents/tools/hosted/plugs.ts';
import { openTools } from './roles/tools.ts';
import type { OpeningParts, Role, RoleHandlers, RoleParts } from './roles/role.ts';
import { openWorker } from './roles/worker.ts';
import { readiness } from './service/readiness.ts';
import { probeRoutes } from './service/routes.ts';
import { spans_pool } from './models/traces/spans.ts';
import { openTracing } from './models/traces/tracing.ts';
import { version } from './ground/version.ts';
import { within } from './ground/within.ts';
import { places } from './ground/places-of-files.ts';

export interface App {
  url: string;
  /** Rejects when a necessary part ends. */
  failed: Promise<never>;
  /** Reads the organisation settings file again. */
  readSettings(): Promise<void>;
  stop(): Promise<void>;
}

/** What a test replaces, and the signal of the process. */
interface Given {
  /** Ends the wait for the schema. Once started, an app is stopped with `stop`. */
  stopping?: AbortSignal;
  foundation?: Foundation;
  /** The directory of the console's build. */
  console_dir?: string;
  /** Besides those of targets/. */
  targets?: Record<string, MoreTarget>;
  /** In tests, instead of AWS. */
  aws_emulator?: AwsEmulator;
  /** In tests, instead of Google. */
  google_emulator?: GoogleEmulator;
  /** Instead of Azure. */
  azure_emulator?: AzureEmulator;
  /** Instead of the container engine, for hosted MCP servers. */
  hosted?: HostedPlugs;
  /** Where the door listens, instead of on the networks of the agents. */
  door_addresses?: () => Promise<string[]>;
}

const close_wait_ms = 10_000;
const opens: Record<RoleName, (parts: RoleParts) => Promise<Role> | Role> = {
  api: openApi,
  worker: openWorker,
  ingress: openIngressRole,
  gateway: openGatewayRole,
};

export async function startApp(config: Config, log: Log, given: Given = {}): Promise<App> {
  const onError = (error: unknown) => log.error({ err: error }, 'a part of the service failed');
  // A stop and a failed start close the open parts, newest first.
  await using open = new AsyncDisposableStack();
  const foundation =
    given.foundation ?? (await openFoundation(config, onError, awaitSchema(config, log, given.stopping)));
  open.defer(async () => await foundation.close());
  const { db, secret_key, envelope, keys, passwords } = foundation;
  await seed(db, {
    password_hash: await passwords.hash(seed_password),
    must_change: true,
    issueKey: issuesUserKeys({ pepper: keys['key-pepper'], envelope }),
  });

  const guardrails = openGuardrailRecord(db, { onError });
  open.defer(async () => await guardrails.close());

  // A stop has two parts: open requests go on while no new one is taken, then they end.
  const draining = new AbortController();
  const stopping = new AbortController();
  let url = config.base_url ?? '';
  let api_url = url;
  const client_tokens = clientTokens(deriveKey(secret_key, 'client-token'));
  const tokens = signedTokens(deriveKey(secret_key, 'access-token'));
  const openPool = (pool: PoolSettings) => {
    const opened = foundation.db.openPool(pool);
    open.defer(async () => await opened.close());
    return opened;
  };
  const copies = openCopies(openPool(copies_pool), { proofs: [governanceHead, instanceEpoch], openSessions });
  const { data_dir } = config;
  const spans = openTracing({
    db: openPool(spans_pool),
    figures_db: db,
    version,
    ...config.traces,
    findLabels: labelsFrom(db),
    freeBytes: foundation.freeBytes,
    onError,
  });
  open.defer(async () => await spans.close());
  const owner = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
  const door_tls = await readDoorTls(config);
  const { dialled, upgrade: handing_over } = openConnections(config, {
    db,
    owner,
    key: deriveKey(secret_key, 'hand-over'),
    tls: door_tls?.client,
    draining: draining.signal,
    onError,
  });
  open.defer(async () => await dialled.close());
  const alone: OpeningParts = {
    config,
    log,
    db,
    openPool,
    secret_key,
    envelope,
    keys,
    passwords,
    tokens,
    client_tokens,
    readAsOf: readAsOf(copies),
    receivers: destinations(config.audit_push),
    installation_id: await installationId(db),
    recordRefusal: refusalRecorder(db),
    guardrails,
    spans,
    more_targets: given.targets ?? {},
    aws_emulator: given.aws_emulator,
    google_emulator: given.google_emulator,
    azure_emulator: given.azure_emulator,
    hosted: given.hosted,
    dialled,
    base_url: () => url,
    api_url: () => api_url,
    owner,
    stopping: stopping.signal,
    onError,
    open,
  };
  const models = firstUse(async () => await Promise.resolve(openModels(alone)));
  const deploying = firstUse(async () => await Promise.resolve(openDeploying(alone)));
  const parts: RoleParts = {
    ...alone,
    deploying,
    outgoing: firstUse(async () => {
      const outgoing = await openOutgoing(config, alone);
      open.defer(async () => await outgoing.close());
      return outgoing;
    }),
    models,
    agentCalls: firstUse(async () => await Promise.resolve(openAgentCalls({ ...alone, models }))),
    tools: firstUse(async () => await openTools({ ...alone, models, deploying })),
  };
  const roles: Role[] = [];
  for (const name of config.roles) roles.push(await opens[name](parts));

  const requests = requestLog(log);
  const ready = readiness(db, {
    data_dir,
    stopping: draining.signal,
    roles: roles.flatMap((role) => role.ready ?? []),
  });
  const metrics = { token: config.traces.metrics_token, print: spans.printMetrics };
  const handlersOf = (some: readonly Pick<Role, 'handlers'>[]) =>
    some.reduce<RoleHandlers>((all, { handlers }) => ({ ...all, ...handlers }), probeRoutes(ready, metrics));
  const { base_url } = config;
  const cookies = sessionCookies({ installation_id: alone.installation_id, base_url });
  const session_ways = sessionWays({ db, tokens, copies, cookies });
  const client = clientWay({
    db,
    tokens: client_tokens,
    bearer: session_ways.bearer,
    enter: entrance(db, copies),
    base_url: () => url,
  });
  const http = {
    ways: {
      ...session_ways,
      client,
      ...keyWays(keyAuthenticator({ db, pepper: keys['key-pepper'] })),
    },
    recordRefusal: alone.recordRefusal,
    carryOutOnce: carryOutOnce(db, deriveKey(secret_key, 'request-digest')),
    readPeer: peerReader(config.trusted_proxies),
    cookies,
    shares: fairShares(config),
    log: requests,
    allowedOrigins: async () => (await settings(db)).browser_origins,
    mustChangeFirst: async () => (await settings(db)).enforce_password_change,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const pages = config.roles.includes('api') && { console: await openConsole(given.console_dir ?? places.console) };
  const listening = await serve(
    mount({ ...http, ...pages, base_url: () => url, handlers: handlersOf(roles) }),
    config,
    requests,
  );
  open.defer(async () => await listening.close(close_wait_ms));
  const within_networks: Pick<Listening, 'drain'>[] = [];
  const doors = roles.flatMap(({ door }) => door ?? []);
  if (doors.length > 0) {
    const door = openDoor(config, door_tls?.client);
    open.defer(async () => await door.close());
    const ways = doors.reduce<Partial<Ways>>((all, one) => ({ ...all, ...one.ways }), {});
    const listener = mount({ ...http, ways, handlers: handlersOf(doors), elsewhere: door.elsewhere });
    const further = config.door.host === undefined ? [] : [config.door.host];
    const find = given.door_addresses ?? (async () => [...further, ...(await agentGateways(alone.installation_id))]);
    const joining = joinUpgrade({ db, dialled, recordRefusal: alone.recordRefusal, onError });
    const upgrades = takesInstances(config) ? [joining, ...(handing_over === undefined ? [] : [handing_over])] : [];
    for (const port of door.ports) {
      const at = { find, port, max_connections: config.max_connections, upgrades, tls: door_tls?.server };
      const listened = serveAddresses(listener, at, { ...requests, onError });
      within_networks.push(listened);
      open.defer(async () => await listened.close(close_wait_ms));
    }
  }
  url = config.base_url ?? listening.url;
  api_url = config.roles.includes('api') ? listening.url : url;
  for (const role of roles) await role.start?.();
  await foundation.lock.announce(listening.url);
  for (const notice of config.door.notices) log.warn(notice);
  log.info({ url, listening: listening.url, roles: config.roles, version }, 'the service is ready');

  open.defer(async () => {
    draining.abort(stopped);
    await within(config.stop_grace_seconds * 1000, drain(listening, within_networks));
    stopping.abort(stopped);
  });
  const opened = open.move();
  return {
    url: listening.url,
    failed: foundation.failed,
    readSettings: async () => {
      for (const role of roles) await role.readSettings?.();
    },
    stop: async () => await opened.disposeAsync(),
  };
}

const stopped = new DOMException('The service stops.', 'AbortError');

/** The agents of open calls need this process until those have ended. */
async function drain(outside: Listening, within_networks: readonly Pick<Listening, 'drain'>[]): Promise<void> {
  await outside.drain();
  await Promise.all(within_networks.map(async (one) => await one.drain()));
}
