// Environment → Config. The sole reader of process.env in the server; every fault is reported at once.
// `server.env` (KEY=value lines, 0600), in GANTRY_HOME or in `<config home>/gantry`, gives defaults that the real environment overrides.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { defaultPort } from '@gantry/contract/default-port.ts';
import { isEmail } from '@gantry/contract/refs.ts';
import { z } from 'zod';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
const seconds = (fallback: number) => z.coerce.number().positive().max(86_400).default(fallback);

const subnet = z.cidrv4();
const push_url_forms =
  'must be https://…, http:// on this machine, or syslog+tls://, syslog+tcp:// or syslog+udp:// with a host; without a user, and each once';

const publicImage = (python: string): string => `python:${python}-slim-bookworm`;
const publicPythons = ['3.10', '3.11', '3.13', '3.14'];
const baseImagePattern = /^3\.\d{1,2}=\S+$/;

export const roleNames = ['api', 'worker', 'ingress'] as const;
export type RoleName = (typeof roleNames)[number];

/** Every setting by its name; docs/reference/settings.md is made of it. */
export const settings = z.object({
  GANTRY_HOME: z
    .string()
    .optional()
    .describe(
      'in the environment alone: the folder of one more installation on this machine; its settings are in server.env there, its data in data, its svc in bin, and its port follows from the path',
    ),
  DATA_DIR: z
    .string()
    .optional()
    .describe(
      'where everything is kept; data in GANTRY_HOME, else /var/lib/gantry for root, ~/.local/share/gantry otherwise',
    ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('a PostgreSQL server of your own instead of the embedded one; SECRET_KEY must then be set'),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe(
      'the same database as its owner, for migrations alone; DATABASE_URL must then connect as svc_app, which owns nothing',
    ),
  SECRET_KEY: z
    .string()
    .refine(isSecretKey, 'must be a random value of 256 bits or more, for example from: openssl rand -base64 32')
    .optional()
    .describe('256 random bits or more; generated once with the embedded database'),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('what the service calls itself in answers; the listening address when absent'),
  ROLE: list
    .pipe(z.array(z.enum(roleNames)).refine((names) => new Set(names).size === names.length, 'names each role once'))
    .describe(
      'the roles of this process, by commas: api, worker, ingress; all of them when absent. Apart they need DATABASE_URL and BASE_URL, and each process a DATA_DIR and a PORT of its own',
    ),
  HOST: z.string().default('127.0.0.1').describe('where the API listens'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('where the API listens; 4480 when absent, another with GANTRY_HOME'),
  TRUSTED_PROXIES: list.describe('addresses and networks (CIDR), by commas, whose forwarding headers count'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('how much the log says'),
  ORG_CONFIG: z
    .string()
    .optional()
    .describe(
      'the file of the organisation settings auth_provider, require_approval_for_admins, approvals_required, approval_expires_after_days and enforce_password_change; read at start and on SIGHUP',
    ),
  AUDIT_PUSH_URL: list
    .pipe(z.array(z.string().refine(isPushUrl, push_url_forms)).refine(areDistinct, push_url_forms))
    .describe(
      'where copies of the audit log go, by commas: https://… (batches of JSON lines), syslog+tls://host:port, syslog+tcp://host:port, syslog+udp://host:port (RFC 5424; let the receiver take messages of 64 kB); http:// on this machine alone',
    ),
  AUDIT_PUSH_TOKEN: z.string().optional().describe('the bearer token for the HTTP destination of AUDIT_PUSH_URL'),
  AUDIT_PUSH_SIGNING_KEY: z
    .string()
    .min(24, 'must have 24 characters or more')
    .optional()
    .describe(
      'signs what goes to the HTTP destination of AUDIT_PUSH_URL, as Standard Webhooks describe it (HMAC-SHA-256, v1); its bytes are the key',
    ),
  AUDIT_PUSH_CA_FILE: z
    .string()
    .optional()
    .describe(
      'a PEM file with certificate authorities that the destinations of AUDIT_PUSH_URL may have, beside the usual ones',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'the mail server, with user name and password if it asks for them: smtp://… speaks TLS after STARTTLS or not at all, smtps://… from the first byte; absent means that no mail is sent',
    ),
  SMTP_FROM: z.string().refine(isEmail, 'must be an e-mail address').optional().describe('whom mail comes from'),
  SMTP_CA_FILE: z
    .string()
    .optional()
    .describe('a PEM file with further certificate authorities that may vouch for the mail server'),
  SMTP_PLAINTEXT_HOST: z
    .string()
    .optional()
    .describe('the host of SMTP_URL once more, where mail may go there without TLS'),
  OUTBOUND_PRIVATE_HOSTS: list.describe(
    'hosts (host or host:port), by commas, that webhooks may reach although their address is of this machine or of a private network',
  ),
  AUDIT_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'the private key that checkpoints of the audit log are signed with, made at the first start; audit/checkpoint-key in DATA_DIR when absent. Servers that share a DATABASE_URL share this key',
    ),
  AUDIT_ANCHOR_FILE: z
    .string()
    .optional()
    .describe(
      'a file on another volume, in a directory that is there, that every signed checkpoint is appended to; what the log is anchored by',
    ),
  AUDIT_HEARTBEAT_SECONDS: seconds(3600).describe('how often the audit log gets a sign of life'),
  DOCKER_HOST: z.string().default('unix:///var/run/docker.sock').describe('the container engine'),
  BASE_IMAGE: z
    .string()
    .default(publicImage('3.12'))
    .describe('what the images of agents are built on; its digest is part of what gets approved'),
  BASE_IMAGES: list
    .refine((entries) => entries.every((entry) => baseImagePattern.test(entry)), 'must be entries such as 3.13=<image>')
    .describe(
      `base images for projects that need another Python, by commas: 3.13=<image>. Absent: the public slim images of ${publicPythons.join(', ')} where BASE_IMAGE is absent too`,
    ),
  BUILD_INDEX_URL: z
    .url()
    .optional()
    .describe('your package index, with credentials if it needs them; absent means what pip in the base image uses'),
  BUILD_INDEX_HOSTS: list.describe('further hosts that the index serves files from, by commas'),
  BUILD_CA_FILE: z.string().optional().describe('a PEM file with the certificate authorities that builds trust'),
  BUILD_EXTRA_INDEX_URLS: list.describe('further indexes, by commas'),
  BUILD_PROXY: z
    .url({ protocol: /^http$/ })
    .optional()
    .describe('an HTTP proxy that leads to the index'),
  BUILD_SOURCE_DISTRIBUTIONS: z
    .enum(['allow', 'refuse'])
    .optional()
    .describe('whether packages without a wheel may be built; allowed unless an index has credentials'),
  BUILD_MEMORY_MB: z.coerce.number().int().min(256).default(4096).describe('memory of one build'),
  BUILD_DISK_MB: z.coerce.number().int().min(256).default(8192).describe('what one build may write'),
  BUILD_DEADLINE_SECONDS: seconds(900).describe('how long one build may take'),
  AGENTS_SUBNET: subnet
    .optional()
    .describe("the network of the agents; follows from the installation's id when absent"),
  SANDBOX_SUBNET: subnet
    .optional()
    .describe("the network of the builds; follows from the installation's id when absent"),
  SYNC_BUDGET_SECONDS: seconds(25).describe('after this long a call is answered with 202 and a run id'),
  START_DEADLINE_SECONDS: seconds(120).describe('how long a new revision may take to be ready'),
  DRAIN_LIMIT_SECONDS: seconds(3600).describe('how long an old revision may finish its calls'),
});

export interface Config {
  /** What this process does; each once. */
  roles: RoleName[];
  data_dir: string;
  /** A server of your own; absent means the embedded one under data_dir. */
  database_url: string | undefined;
  /** As the owner of that database; absent means that the service owns it itself. The embedded one has both by itself. */
  migration_database_url: string | undefined;
  /** Absent only with the embedded database, which generates one beside its data. */
  secret_key: string | undefined;
  base_url: string | undefined;
  host: string;
  port: number;
  trusted_proxies: string[];
  log_level: string;
  org_config: string | undefined;
  audit_push: {
    urls: string[];
    token: string | undefined;
    signing_key: string | undefined;
    ca_file: string | undefined;
  };
  /** Absent means that no mail is sent. */
  mail: MailConfig | undefined;
  outbound_private_hosts: string[];
  audit: {
    key_file: string;
    anchor_file: string | undefined;
    heartbeat_seconds: number;
  };
  engine_host: string;
  base_image: string;
  /** By minor version of Python, those besides `base_image`. */
  base_images: Readonly<Record<string, string>>;
  build: {
    index_url: string | undefined;
    extra_index_urls: string[];
    index_hosts: string[];
    ca_file: string | undefined;
    upstream_proxy: string | undefined;
    source_distributions: 'allow' | 'refuse';
    memory_bytes: number;
    disk_bytes: number;
    deadline_seconds: number;
  };
  /** Absent means two that follow from the installation's id. */
  agents_subnet: string | undefined;
  sandbox_subnet: string | undefined;
  sync_budget_seconds: number;
  start_deadline_seconds: number;
  drain_limit_seconds: number;
}

export interface MailConfig {
  url: string;
  from: string;
  ca_file: string | undefined;
  plaintext: boolean;
}

/** Long enough, and no placeholder of one character or two again and again. */
export function isSecretKey(text: string): boolean {
  return text.length >= 32 && new Set(text).size >= 8;
}

export class ConfigFault extends Error {}

/** Reads the process's own environment over the settings file. Throws ConfigFault naming every bad setting. */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  flags: { role?: string | undefined } = {},
): Config {
  const home = installationHome(environment);
  const file = join(home ?? join(environment.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'gantry'), 'server.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const present = Object.entries({
    ...fromFile,
    ...environment,
    ...(flags.role !== undefined && { ROLE: flags.role }),
  }).filter(([, value]) => value !== '');
  const read = settings.safeParse(Object.fromEntries(present));
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigFault(`These settings are wrong:\n${faults.join('\n')}`);
  }
  const given = read.data;
  if (given.DATABASE_URL !== undefined && given.SECRET_KEY === undefined) {
    throw new ConfigFault(
      'SECRET_KEY is missing. With DATABASE_URL it must be set, for example to the output of: openssl rand -base64 32',
    );
  }
  if (given.MIGRATION_DATABASE_URL !== undefined && given.DATABASE_URL === undefined) {
    throw new ConfigFault('MIGRATION_DATABASE_URL is set without DATABASE_URL, which the service itself connects to.');
  }
  const data_dir = given.DATA_DIR ?? (home === undefined ? defaultDataDir(environment) : join(home, 'data'));
  return {
    roles: rolesOf(given),
    data_dir,
    database_url: given.DATABASE_URL,
    migration_database_url: given.MIGRATION_DATABASE_URL,
    secret_key: given.SECRET_KEY,
    base_url: given.BASE_URL,
    host: given.HOST,
    port: given.PORT ?? defaultPort(home),
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
    engine_host: given.DOCKER_HOST,
    base_image: given.BASE_IMAGE,
    base_images: baseImages(given),
    build: {
      index_url: given.BUILD_INDEX_URL,
      extra_index_urls: given.BUILD_EXTRA_INDEX_URLS,
      index_hosts: given.BUILD_INDEX_HOSTS,
      ca_file: given.BUILD_CA_FILE,
      upstream_proxy: given.BUILD_PROXY,
      // Building a source distribution runs its author's code next to the index's credentials: then somebody has to say so.
      source_distributions: given.BUILD_SOURCE_DISTRIBUTIONS ?? (hasCredentials(given) ? 'refuse' : 'allow'),
      memory_bytes: given.BUILD_MEMORY_MB * 1024 ** 2,
      disk_bytes: given.BUILD_DISK_MB * 1024 ** 2,
      deadline_seconds: given.BUILD_DEADLINE_SECONDS,
    },
    agents_subnet: given.AGENTS_SUBNET,
    sandbox_subnet: given.SANDBOX_SUBNET,
    sync_budget_seconds: given.SYNC_BUDGET_SECONDS,
    start_deadline_seconds: given.START_DEADLINE_SECONDS,
    drain_limit_seconds: given.DRAIN_LIMIT_SECONDS,
  };
}

function rolesOf({ ROLE, DATABASE_URL, BASE_URL }: z.output<typeof settings>): RoleName[] {
  if (ROLE.length === 0 || ROLE.length === roleNames.length) return [...roleNames];
  if (DATABASE_URL === undefined)
    throw new ConfigFault('ROLE needs DATABASE_URL: the embedded database belongs to one process with all roles.');
  if (BASE_URL === undefined)
    throw new ConfigFault(
      'ROLE needs BASE_URL: the address of the proxy before the roles, which links and endpoints name.',
    );
  return ROLE;
}

// A credential that nobody is sent, or that would be sent to several, is a mistake in the making.
function baseImages({ BASE_IMAGE, BASE_IMAGES }: z.output<typeof settings>): Record<string, string> {
  const usual = BASE_IMAGE === publicImage('3.12') ? publicPythons.map((python) => [python, publicImage(python)]) : [];
  const named = BASE_IMAGES.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
  return Object.fromEntries(named.length > 0 ? named : usual) as Record<string, string>;
}

function auditPush(given: z.output<typeof settings>): Config['audit_push'] {
  const { AUDIT_PUSH_URL: urls, AUDIT_PUSH_TOKEN: token, AUDIT_PUSH_SIGNING_KEY: signing_key } = given;
  const over_http = urls.filter((url) => url.startsWith('http')).length;
  if ((token !== undefined || signing_key !== undefined) && over_http !== 1)
    throw new ConfigFault(
      `AUDIT_PUSH_TOKEN and AUDIT_PUSH_SIGNING_KEY are for one HTTP destination; AUDIT_PUSH_URL names ${over_http}.`,
    );
  return { urls, token, signing_key, ca_file: given.AUDIT_PUSH_CA_FILE };
}

function areDistinct(urls: readonly string[]): boolean {
  return new Set(urls.map((url) => url.replace(/\?.*$/, ''))).size === urls.length;
}

function isPushUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '' || url.hash !== '')
    return false;
  if (/^syslog\+(tls|tcp|udp):$/.test(url.protocol)) return url.pathname.length <= 1 && url.search === '';
  const here = url.hostname === 'localhost' || url.hostname === '127.0.0.1' || url.hostname === '[::1]';
  return url.protocol === 'https:' || (url.protocol === 'http:' && here);
}

function mailConfig(given: z.output<typeof settings>): MailConfig | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, SMTP_CA_FILE: ca_file, SMTP_PLAINTEXT_HOST: plaintext_host } = given;
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigFault('SMTP_FROM is missing: with SMTP_URL it says whom mail comes from.');
  const { hostname, protocol } = new URL(url);
  // Said of one host, so that it does not hold on when SMTP_URL changes.
  if (plaintext_host !== undefined && (plaintext_host !== hostname || protocol !== 'smtp:'))
    throw new ConfigFault('SMTP_PLAINTEXT_HOST must be the host of an SMTP_URL that begins with smtp://.');
  return { url, from, ca_file, plaintext: plaintext_host !== undefined };
}

function hasCredentials({ BUILD_INDEX_URL, BUILD_EXTRA_INDEX_URLS }: z.output<typeof settings>): boolean {
  return [BUILD_INDEX_URL, ...BUILD_EXTRA_INDEX_URLS].some((url) => url !== undefined && new URL(url).password !== '');
}

// What keeps installations of one machine apart; the client has the same rule.
function installationHome({ GANTRY_HOME }: NodeJS.ProcessEnv): string | undefined {
  return GANTRY_HOME === undefined || GANTRY_HOME === '' ? undefined : resolve(GANTRY_HOME);
}

// PostgreSQL refuses to run as root and gets an OS user of its own, which cannot look into /root: so root's data lives in /var/lib.
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/gantry';
  return join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'gantry');
}
