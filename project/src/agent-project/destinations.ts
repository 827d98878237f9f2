// The destinations that the code of a project probably connects to, for a proposal of `deploy.egress`. From its imports, by a short table, and
// from addresses in its texts. It is a proposal: what a package or a variable decides at run time is not seen.
import type { ProjectFiles } from './files.ts';
import { isDestination } from '../agent-yaml/egress.ts';
import { modelProviders, type ModelProvider } from '../model-providers.ts';

export interface SeenDestination {
  /** `host:port`, or undefined for a database whose address only a variable has. */
  destination: string | undefined;
  /** Such as `import tavily`. */
  because: string;
  file: string;
  /** Counts from 1. */
  line: number;
  /** Its protocol, when it is none of HTTP. No proxy for HTTP is used by its clients. */
  protocol?: string;
}

/** In the order of the files, each destination once. */
export function seenDestinations(files: ProjectFiles): SeenDestination[] {
  const found = new Map<string, SeenDestination>();
  let left = max_bytes;
  for (const { path, size, type } of files.list()) {
    if (type !== 'file' || !path.endsWith('.py') || isTest(path) || size > left) continue;
    left -= size;
    for (const seen of inModule(path, new TextDecoder().decode(files.read(path)))) {
      const key = seen.destination ?? seen.because;
      if (!found.has(key)) found.set(key, seen);
    }
  }
  return [...found.values()].slice(0, max_found);
}

/** The protocol of a well-known port whose clients use no HTTP proxy. */
export function rawProtocol(destination: string): string | undefined {
  return rawPorts[destination.slice(destination.lastIndexOf(':') + 1)];
}

// Regular expressions without backtracking: hostile code costs its length.
const max_bytes = 4_000_000;
const max_found = 30;
const isTest = (path: string) => /(?:^|\/)(?:tests?\/|test_[^/]*$|conftest\.py$)/.test(path);

/** Module → hosts, each of which the vendor's own client uses without further settings. */
const hostsOf: Readonly<Record<string, readonly string[]>> = {
  arxiv: ['export.arxiv.org:443'],
  ddgs: ['duckduckgo.com:443', '*.duckduckgo.com:443'],
  discord: ['discord.com:443', 'gateway.discord.gg:443'],
  duckduckgo_search: ['duckduckgo.com:443', '*.duckduckgo.com:443'],
  exa_py: ['api.exa.ai:443'],
  firecrawl: ['api.firecrawl.dev:443'],
  github: ['api.github.com:443'],
  googleapiclient: ['*.googleapis.com:443'],
  googlemaps: ['maps.googleapis.com:443'],
  huggingface_hub: ['huggingface.co:443'],
  langchain_exa: ['api.exa.ai:443'],
  langchain_tavily: ['api.tavily.com:443'],
  notion_client: ['api.notion.com:443'],
  pinecone: ['api.pinecone.io:443', '*.pinecone.io:443'],
  pyowm: ['api.openweathermap.org:443'],
  sendgrid: ['api.sendgrid.com:443'],
  serpapi: ['serpapi.com:443'],
  slack_sdk: ['slack.com:443', '*.slack.com:443'],
  stripe: ['api.stripe.com:443'],
  tavily: ['api.tavily.com:443'],
  telegram: ['api.telegram.org:443'],
  twilio: ['api.twilio.com:443'],
  wikipedia: ['en.wikipedia.org:443'],
};

/** Drivers of databases and brokers. */
const protocolOf: Readonly<Record<string, string>> = {
  asyncpg: 'PostgreSQL',
  psycopg: 'PostgreSQL',
  psycopg2: 'PostgreSQL',
  pymysql: 'MySQL',
  aiomysql: 'MySQL',
  redis: 'Redis',
  pymongo: 'MongoDB',
  motor: 'MongoDB',
  aiokafka: 'Kafka',
  pika: 'AMQP',
  smtplib: 'SMTP',
  aiosmtplib: 'SMTP',
  paramiko: 'SSH',
};

const rawPorts: Readonly<Record<string, string>> = {
  22: 'SSH',
  25: 'SMTP',
  465: 'SMTP',
  587: 'SMTP',
  1433: 'SQL Server',
  1521: 'Oracle',
  3306: 'MySQL',
  5432: 'PostgreSQL',
  5672: 'AMQP',
  6379: 'Redis',
  9042: 'Cassandra',
  9092: 'Kafka',
  27017: 'MongoDB',
};

/** The gateway calls them, so the container does not. */
const providerHosts: ReadonlySet<string> = new Set(
  Object.values<ModelProvider>(modelProviders).flatMap(({ base_url }) =>
    base_url === undefined ? [] : [new URL(base_url).host],
  ),
);

function inModule(file: string, text: string): SeenDestination[] {
  return text.split('\n').flatMap((line, at): SeenDestination[] => {
    const place = { file, line: at + 1 };
    const [, module = ''] = /^\s{0,100}(?:import|from) ([A-Za-z_]\w*)/.exec(line) ?? [];
    const hosts = Object.hasOwn(hostsOf, module) ? (hostsOf[module] ?? []) : [];
    const protocol = Object.hasOwn(protocolOf, module) ? protocolOf[module] : undefined;
    const because = `import ${module}`;
    return [
      ...hosts.map((destination) => ({ destination, because, ...place })),
      ...(protocol === undefined ? [] : [{ destination: undefined, because, protocol, ...place }]),
      ...addressesIn(line).map((destination) => ({ destination, because: 'an address in its code', ...place })),
    ];
  });
}

/** A quote before the scheme leaves out comments and most sentences. A host of which a variable is a part is no host. */
function addressesIn(line: string): string[] {
  if (line.length > 10_000 || line.trimStart().startsWith('#')) return [];
  return [...line.matchAll(/["'](https?):\/\/([a-z0-9.-]{1,253})(?::(\d{1,5}))?(?=["'/?#])/gi)].flatMap(
    ([, scheme = '', host = '', port]) => {
      const destination = `${host.toLowerCase()}:${port ?? (scheme.toLowerCase() === 'https' ? 443 : 80)}`;
      const isLocal = !host.includes('.') || host.startsWith('127.') || /\bexample\.(?:com|org|net)$/i.test(host);
      return isLocal || providerHosts.has(host.toLowerCase()) || !isDestination(destination) ? [] : [destination];
    },
  );
}
