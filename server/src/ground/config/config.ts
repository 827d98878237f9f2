// Environment → Config. Only this file reads the server's process.env. It reports all faults together. `server.env` (KEY=value lines, 0600)
// is in GANTRY_HOME or in `<config home>/gantry`. The real environment overrides its values.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { defaultPort } from '@gantry/contract/client/default-port.ts';
import { orgSettings } from '@gantry/contract/people/org.ts';
import { isEmail } from '@gantry/contract/refs.ts';
import { z } from 'zod';
import { agentNetworkSettings, doorConfig, doorFault, type DoorConfig } from './agent-network-settings.ts';
import { hostedConfig, hostedSettings, type HostedConfig } from './hosted-settings.ts';
import { defaultDataDir, installationHome, settingsFile } from './installation-place.ts';
import { list } from './list-setting.ts';
import { areDistinct, isPushUrl, push_url_forms } from './push-urls.ts';
import { ownClusterOf, type OwnCluster } from './own-cluster.ts';
import { pythonsConfig, pythonSettings, type PythonsConfig } from './python-settings.ts';
import { tracesConfig, traceSettings, type TracesConfig } from './trace-settings.ts';

const seconds = (fallback: number) => z.coerce.number().positive().max(86_400).default(fallback);

const atLeast = (least: number) => z.coerce.number().int().min(least);
const anyPort = atLeast(0).max(65_535);

export const roleNames = ['api', 'worker', 'ingress', 'gateway'] as const;
export type RoleName = (typeof roleNames)[number];

/** Every setting by its name. docs/reference/settings.md is generated from it. */
export const settings = z.object({
  GANTRY_HOME: z
    .string()
    .optional()
    .describe(
      'only in the environment: the folder of a further installation on this machine. It contains server.env, the folder data for DATA_DIR, and the folder bin for svc. The path determines the default port',
    ),
  DATA_DIR: z
    .string()
    .optional()
    .describe(
      'the directory of all data. Default: data in GANTRY_HOME; without GANTRY_HOME /var/lib/gantry for root, and ~/.local/share/gantry for other users',
    ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('a PostgreSQL server of your own instead of the embedded one. It needs SECRET_KEY'),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe(
      'the same database, connected as its owner, only for migrations. DATABASE_URL must then connect as svc_app, which owns nothing. Without it a service that connects as svc_app waits until `migrate` has run',
    ),
  SECRET_KEY: z
    .string()
    .refine(isSecretKey, 'must be a random value of 256 bits or more, for example from: openssl rand -base64 32')
    .optional()
    .describe('256 random bits or more. The embedded database comes with a generated one'),
  PREVIOUS_SECRET_KEY: z.string().optional().describe('after a change of SECRET_KEY, the one before, for one start'),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('the URL of the service in its answers. Default: the listening address'),
  ROLE: list
    .pipe(
      z.array(z.enum(roleNames)).refine((names) => new Set(names).size === names.length, 'must name each role once'),
    )
    .describe(
      'the roles of this process, separated by commas: api, worker, ingress, gateway. Default: all. Separate roles need DATABASE_URL and BASE_URL, and each process needs its own DATA_DIR and PORT',
    ),
  HOST: z.string().default('127.0.0.1').describe('the address that the API listens on'),
  PORT: anyPort
    .optional()
    .describe('the port that the API listens on. Default: 4480; with GANTRY_HOME a port that follows from its path'),
  MAX_CONNECTIONS: atLeast(16)
    .default(4096)
    .describe('the open HTTP connections of one process. It closes further ones at once, and warns in its log'),
  TRUSTED_PROXIES: list.describe(
    'proxies whose forwarding headers the service trusts: addresses and networks (CIDR), separated by commas',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('the lowest level that is logged'),
  ORG_CONFIG: z
    .string()
    .optional()
    .describe(
      `a file with settings of the organisation: ${Object.keys(orgSettings.shape).join(', ')}. The service reads it at start and on SIGHUP`,
    ),
  AUDIT_PUSH_URL: list
    .pipe(z.array(z.string().refine(isPushUrl, push_url_forms)).refine(areDistinct, push_url_forms))
    .describe(
      'the destinations of audit log copies, separated by commas: https://… (batches of JSON lines), syslog+tls://host:port, syslog+tcp://host:port, syslog+udp://host:port. http:// is accepted only on this machine. Syslog is RFC 5424: the receiver must accept messages of 64 kB',
    ),
  AUDIT_PUSH_TOKEN: z.string().optional().describe('the bearer token for the HTTP destination of AUDIT_PUSH_URL'),
  AUDIT_PUSH_SIGNING_KEY: z
    .string()
    .min(24, 'must have 24 characters or more')
    .optional()
    .describe(
      'the key that signs requests to the HTTP destination of AUDIT_PUSH_URL, as in Standard Webhooks (HMAC-SHA-256, v1). The bytes of the text are the key',
    ),
  AUDIT_PUSH_CA_FILE: z
    .string()
    .optional()
    .describe('a PEM file with further certificate authorities for the destinations of AUDIT_PUSH_URL'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'the mail server, with user name and password if it needs them. smtp://… requires STARTTLS; smtps://… uses TLS from the first byte. Default: no mail',
    ),
  SMTP_FROM: z.string().refine(isEmail, 'must be an e-mail address').optional().describe('the sender of mail'),
  SMTP_CA_FILE: z.string().optional().describe('a PEM file with further certificate authorities for the mail server'),
  SMTP_PLAINTEXT_HOST: z.string().optional().describe('the host of SMTP_URL repeated, to allow mail to it without TLS'),
  OUTBOUND_PRIVATE_HOSTS: list.describe(
    'hosts that webhooks, the model gateway, and agents with the host in deploy.egress may reach on this machine or in a private network: host or host:port, separated by commas',
  ),
  AUDIT_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'the private key that signs checkpoints of the audit log; the first start creates it. Default: audit/checkpoint-key in DATA_DIR. Servers that share a DATABASE_URL share this key',
    ),
  AUDIT_ANCHOR_FILE: z
    .string()
    .optional()
    .describe('a file on another volume, in an existing directory; every signed checkpoint is appended to it'),
  AUDIT_HEARTBEAT_SECONDS: seconds(3600).describe('the interval between heartbeat entries in the audit log'),
  DOCKER_HOST: z
    .string()
    .default('unix:///var/run/docker.sock')
    .describe(
      'the address of the container engine. `none`: this process has no engine. A worker without one sends, expires and alerts; pushes, deploys and the care for agents are work of a worker with an engine',
    ),
  ...pythonSettings,
  BUILD_INDEX_URL: z
    .url()
    .optional()
    .describe('your package index, with credentials if it needs them. Default: the index of pip in the base image'),
  BUILD_INDEX_HOSTS: list.describe('further hosts that serve files of the index, separated by commas'),
  BUILD_CA_FILE: z.string().optional().describe('a PEM file with the certificate authorities that builds trust'),
  BUILD_EXTRA_INDEX_URLS: list.describe('further package indexes, separated by commas'),
  BUILD_NPM_REGISTRY: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the registry of npm for hosted MCP servers, without credentials. Default: npm's own"),
  BUILD_PROXY: z
    .url({ protocol: /^http$/ })
    .optional()
    .describe('an HTTP proxy for the way to the index'),
  BUILD_SOURCE_DISTRIBUTIONS: z
    .enum(['allow', 'refuse'])
    .optional()
    .describe('whether builds accept packages without a wheel. Default: allow; refuse if an index has credentials'),
  BUILD_SHARE: z
    .enum(['team', 'engine'])
    .default('team')
    .describe(
      'who shares an image of packages that all come from the index: the agents of a team, or those of all installations on the engine, which may then all read this index',
    ),
  BUILD_MEMORY_MB: atLeast(256).default(4096).describe('the memory limit of one build'),
  BUILD_DISK_MB: atLeast(256).default(8192).describe('the disk limit of one build'),
  BUILD_PROCESSES: atLeast(64).default(512).describe('the limit of processes and threads of one build'),
  BUILD_DEADLINE_SECONDS: seconds(900).describe('the time limit of one build'),
  ...agentNetworkSettings,
  ...hostedSettings,
  ...traceSettings,
  SYNC_BUDGET_SECONDS: seconds(25).describe('a longer call is answered with 202 and a run id after this time'),
  STOP_GRACE_SECONDS: atLeast(0)
    .max(3600)
    .default(20)
    .describe(
      'how long a process that stops finishes its open requests, while the other processes take the new ones. With the embedded database there is no other process, so it does not wait',
    ),
  START_DEADLINE_SECONDS: seconds(120).describe('the time limit of a new revision to become ready'),
  CALM_SECONDS: seconds(300).describe('an agent loses a container that it has not needed for this time'),
  WARM_SECONDS: atLeast(0).max(86_400).default(600).describe('how long a replaced revision is kept for a rollback'),
  DRAIN_LIMIT_SECONDS: seconds(3600).describe('the time that an old revision has to finish its calls'),
});

export interface Config extends PythonsConfig {
  /** The roles of this process, each once. */
  roles: RoleName[];
  data_dir: string;
  /** Absent: the embedded database under data_dir. */
  database_url: string | undefined;
  /** Absent: the service owns its database. The embedded database brings both connections. */
  migration_database_url: string | undefined;
  /** Absent only with the embedded database, which has a generated one. */
  secret_key: string | undefined;
  /** After a change of the secret key, the one before. */
  previous_secret_key: string | undefined;
  base_url: string | undefined;
  host: string;
  port: number;
  max_connections: number;
  trusted_proxies: string[];
  log_level: string;
  org_config: string | undefined;
  audit_push: {
    urls: string[];
    token: string | undefined;
    signing_key: string | undefined;
    ca_file: string | undefined;
  };
  /** Absent: no mail. */
  mail: MailConfig | undefined;
  outbound_private_hosts: string[];
  audit: {
    key_file: string;
    anchor_file: string | undefined;
    heartbeat_seconds: number;
  };
  has_engine: boolean;
  engine_host: string;
  build: {
    index_url: string | undefined;
    extra_index_urls: string[];
    index_hosts: string[];
    ca_file: string | undefined;
    npm_registry: string | undefined;
    upstream_proxy: string | undefined;
    python_mirror: string | undefined;
    obtains_pythons: boolean;
    source_distributions: 'allow' | 'refuse';
    shares_images: boolean;
    memory_bytes: number;
    disk_bytes: number;
    pids: number;
    deadline_seconds: number;
  };
  /** Absent: the subnets follow from the installation's id. */
  agents_subnet: string | undefined;
  listed_subnet: string | undefined;
  sandbox_subnet: string | undefined;
  tools_subnet: string | undefined;
  hosted: HostedConfig;
  /** Where agents call the service. */
  door: DoorConfig;
  egress_port: number;
  /** A further address of the proxy. */
  egress_host: string | undefined;
  own_cluster: OwnCluster | undefined;
  traces: TracesConfig;
  sync_budget_seconds: number;
  stop_grace_seconds: number;
  start_deadline_seconds: number;
  calm_seconds: number;
  warm_seconds: number;
  drain_limit_seconds: number;
}

export interface MailConfig {
  url: string;
  from: string;
  ca_file: string | undefined;
  plaintext: boolean;
}

/** A secret key is long and no placeholder that repeats a few characters. */
export function isSecretKey(text: string): boolean {
  return text.length >= 32 && new Set(text).size >= 8;
}

export class ConfigFault extends Error {}

/** The process's environment overrides the settings file. Throws ConfigFault with every invalid setting. */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  flags: { role?: string | undefined; settings_text?: string } = {},
): Config {
  const home = installationHome(environment);
  const file = settingsFile(environment);
  const text = flags.settings_text ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const present = Object.entries({
    ...parseEnv(text),
    ...environment,
    ...(flags.role !== undefined && { ROLE: flags.role }),
  }).filter(([, value]) => value !== '');
  const read = settings.safeParse(Object.fromEntries(present));
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigFault(`These settings are invalid:\n${faults.join('\n')}`);
  }
  const given = read.data;
  if (given.DATABASE_URL !== undefined && given.SECRET_KEY === undefined) {
    throw new ConfigFault('SECRET_KEY is missing. DATABASE_URL needs it. Generate one: openssl rand -base64 32');
  }
  if (given.MIGRATION_DATABASE_URL !== undefined && given.DATABASE_URL === undefined) {
    throw new ConfigFault(
      'MIGRATION_DATABASE_URL is set without DATABASE_URL. The service itself connects to DATABASE_URL.',
    );
  }
  const fault = doorFault(given);
  if (fault !== undefined) throw new ConfigFault(fault);
  const data_dir = given.DATA_DIR ?? (home === undefined ? defaultDataDir(environment) : join(home, 'data'));
  return {
    roles: rolesOf(given),
    data_dir,
    database_url: given.DATABASE_URL,
    migration_database_url: given.MIGRATION_DATABASE_URL,
    secret_key: given.SECRET_KEY,
    previous_secret_key: given.PREVIOUS_SECRET_KEY,
    base_url: given.BASE_URL,
    host: given.HOST,
    port: given.PORT ?? defaultPort(home),
    max_connections: given.MAX_CONNECTIONS,
    trusted_proxies: given.TRUSTED_PROXIES,
    log_level: given.LOG_LEVEL,
    org_config: given.ORG_CONFIG,
    audit_push: auditPush(given),
    mail: mailConfig(given),
    outbound_private_hosts: given.OUTBOUND_PRIVATE_HOSTS,
    audit: {
      key_file: given.AUDIT_KEY_FILE ?? join(data_dir, 'audit', 'checkpoint-key'),
      anchor_file: given.AUDIT_ANCHOR_FILE,
      heartbeat_seconds: given.AUDIT_HEARTBEAT_SECONDS,
    },
    has_engine: given.DOCKER_HOST !== 'none',
    // Nobody listens there.
    engine_host: given.DOCKER_HOST === 'none' ? 'unix:///none' : given.DOCKER_HOST,
    ...pythonsConfig(given),
    build: {
      index_url: given.BUILD_INDEX_URL,
      extra_index_urls: given.BUILD_EXTRA_INDEX_URLS,
      index_hosts: given.BUILD_INDEX_HOSTS,
      ca_file: given.BUILD_CA_FILE,
      npm_registry: given.BUILD_NPM_REGISTRY,
      upstream_proxy: given.BUILD_PROXY,
      python_mirror: given.BUILD_PYTHON_MIRROR,
      obtains_pythons: given.BUILD_PYTHONS === 'obtain',
      // The build of a source distribution runs its author's code beside the index's credentials. An admin must allow that.
      source_distributions: given.BUILD_SOURCE_DISTRIBUTIONS ?? (hasCredentials(given) ? 'refuse' : 'allow'),
      shares_images: given.BUILD_SHARE === 'engine',
      memory_bytes: given.BUILD_MEMORY_MB * 1024 ** 2,
      disk_bytes: given.BUILD_DISK_MB * 1024 ** 2,
      pids: given.BUILD_PROCESSES,
      deadline_seconds: given.BUILD_DEADLINE_SECONDS,
    },
    agents_subnet: given.AGENTS_SUBNET,
    listed_subnet: given.LISTED_SUBNET,
    sandbox_subnet: given.SANDBOX_SUBNET,
    tools_subnet: given.TOOLS_SUBNET,
    hosted: hostedConfig(given),
    door: doorConfig(given),
    egress_port: given.EGRESS_PORT,
    egress_host: given.EGRESS_HOST,
    own_cluster: ownClusterOf(environment),
    traces: tracesConfig(given),
    sync_budget_seconds: given.SYNC_BUDGET_SECONDS,
    stop_grace_seconds: given.DATABASE_URL === undefined ? 0 : given.STOP_GRACE_SECONDS,
    start_deadline_seconds: given.START_DEADLINE_SECONDS,
    calm_seconds: given.CALM_SECONDS,
    warm_seconds: given.WARM_SECONDS,
    drain_limit_seconds: given.DRAIN_LIMIT_SECONDS,
  };
}

/** The settings of the process and of its file, for `svc server set` (settings-file.ts). */
export const processEnvironment = (): NodeJS.ProcessEnv => process.env;

/** Unlike those in server.env, a service that is started elsewhere lacks them. */
export function settingsOfEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return Object.fromEntries(given.filter(([name]) => name in settings.shape));
}

function rolesOf({ ROLE, DATABASE_URL, BASE_URL }: z.output<typeof settings>): RoleName[] {
  if (ROLE.length === 0 || ROLE.length === roleNames.length) return [...roleNames];
  if (DATABASE_URL === undefined)
    throw new ConfigFault('ROLE needs DATABASE_URL: the embedded database belongs to one process with all roles.');
  if (BASE_URL === undefined)
    throw new ConfigFault('ROLE needs BASE_URL: the address of the proxy in front of the roles, for links.');
  return ROLE;
}

// An unused credential, or one for several destinations, is a mistake.
function auditPush(given: z.output<typeof settings>): Config['audit_push'] {
  const { AUDIT_PUSH_URL: urls, AUDIT_PUSH_TOKEN: token, AUDIT_PUSH_SIGNING_KEY: signing_key } = given;
  const over_http = urls.filter((url) => url.startsWith('http')).length;
  if ((token !== undefined || signing_key !== undefined) && over_http !== 1)
    throw new ConfigFault(
      `AUDIT_PUSH_TOKEN and AUDIT_PUSH_SIGNING_KEY are for one HTTP destination; AUDIT_PUSH_URL names ${over_http}.`,
    );
  return { urls, token, signing_key, ca_file: given.AUDIT_PUSH_CA_FILE };
}

function mailConfig(given: z.output<typeof settings>): MailConfig | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, SMTP_CA_FILE: ca_file, SMTP_PLAINTEXT_HOST: plaintext_host } = given;
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigFault('SMTP_FROM is missing. SMTP_URL needs it: it is the sender of mail.');
  const { hostname, protocol } = new URL(url);
  // The permission names one host. It ends when SMTP_URL changes to another host.
  if (plaintext_host !== undefined && (plaintext_host !== hostname || protocol !== 'smtp:'))
    throw new ConfigFault('SMTP_PLAINTEXT_HOST must be the host of an SMTP_URL that begins with smtp://.');
  return { url, from, ca_file, plaintext: plaintext_host !== undefined };
}

function hasCredentials({ BUILD_INDEX_URL, BUILD_EXTRA_INDEX_URLS }: z.output<typeof settings>): boolean {
  return [BUILD_INDEX_URL, ...BUILD_EXTRA_INDEX_URLS].some((url) => url !== undefined && new URL(url).password !== '');
}
