// Public MCP servers as their authors publish them, and what a client asks of each. The answer shows that the server did its work.

export interface PublicServer {
  name: string;
  /** In the registry. */
  config: Record<string, unknown>;
  /** In this order: one caller has one program, which keeps what an earlier call left. */
  calls: ToolCall[];
}

interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
  /** What its text matches, as regular expression. */
  answer: string;
}

const call = (tool: string, given: Record<string, unknown>, answer: string): ToolCall => ({
  tool,
  arguments: given,
  answer,
});

/** The service runs these, in containers without a network. */
export const hosted_servers: PublicServer[] = [
  {
    name: 'everything',
    config: { package: 'npm:@modelcontextprotocol/server-everything@2026.8.31' },
    calls: [call('get-sum', { a: 20, b: 22 }, '\\b42\\b')],
  },
  {
    name: 'filesystem',
    config: { package: 'npm:@modelcontextprotocol/server-filesystem@2026.8.31', args: ['/tmp'] },
    calls: [
      call('write_file', { path: '/tmp/list.txt', content: 'tea and bread' }, 'list\\.txt'),
      call('read_text_file', { path: '/tmp/list.txt' }, 'tea and bread'),
    ],
  },
  {
    name: 'memory',
    config: {
      package: 'npm:@modelcontextprotocol/server-memory@2026.8.31',
      env_vars: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' },
    },
    calls: [
      call(
        'create_entities',
        { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] },
        'likes tea',
      ),
      call('search_nodes', { query: 'tea' }, 'Ada'),
    ],
  },
  {
    name: 'thinking',
    config: { package: 'npm:@modelcontextprotocol/server-sequential-thinking@2026.8.31' },
    calls: [
      call(
        'sequentialthinking',
        { thought: 'First the water', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 },
        '"?thoughtHistoryLength\\W+1',
      ),
    ],
  },
  {
    name: 'dbhub',
    config: { package: 'npm:@bytebase/dbhub@1.4.0', args: ['--demo'] },
    calls: [call('execute_sql', { sql: 'select 6 * 7 as answer' }, 'answer\\W+42')],
  },
  {
    name: 'clock',
    config: { package: 'pypi:mcp-server-time==2026.10.19' },
    calls: [
      call(
        'convert_time',
        { source_timezone: 'Etc/UTC', time: '12:00', target_timezone: 'Asia/Tokyo' },
        'T21:00:00\\+09:00',
      ),
    ],
  },
  {
    name: 'duckdb',
    config: { package: 'pypi:mcp-server-motherduck==1.1.0', args: ['--db-path', ':memory:', '--read-write'] },
    calls: [call('execute_query', { sql: 'select 6 * 7 as answer' }, '\\b42\\b')],
  },
  {
    name: 'calculator',
    config: { package: 'pypi:mcp-server-calculator==0.2.1' },
    calls: [call('calculate', { expression: '2 ** 10 + 1' }, '1025')],
  },
  {
    name: 'markitdown',
    config: { package: 'pypi:markitdown-mcp==0.0.1a8' },
    calls: [
      call(
        'convert_to_markdown',
        { uri: 'data:text/html,%3Ch1%3EMenu%3C%2Fh1%3E%3Cul%3E%3Cli%3Etea%3C%2Fli%3E%3C%2Ful%3E' },
        '# Menu',
      ),
    ],
  },
];

/** The service runs this one too. It reaches one host: the page. */
export function fetchServer(page_url: string): PublicServer {
  return {
    name: 'fetch',
    config: { package: 'pypi:mcp-server-fetch==2026.10.24', egress: [new URL(page_url).host] },
    calls: [call('fetch', { url: page_url }, 'The kettle sings')],
  };
}

/** Not hosted: the base image has no browser, and no package of npm or PyPI brings one that starts where files cannot be executed in /tmp. */
export function browserServer(url: string, page_url: string): PublicServer {
  return {
    name: 'playwright',
    config: { transport: 'streamable-http', url },
    calls: [call('browser_navigate', { url: page_url }, 'Page Title\\W+Kettle')],
  };
}

/** Not hosted: it calls the program git, which the base image does not have. */
export function gitServer(url: string, repository: string): PublicServer {
  return {
    name: 'git',
    config: { transport: 'streamable-http', url },
    calls: [call('git_log', { repo_path: repository, max_count: 1 }, 'the first commit')],
  };
}

/** Packages that cannot work in a container of the service, and what a person reads when they look at one. */
export const exceptions = [
  {
    reason: 'it is published for an older SDK than the one that its own requirements take',
    name: 'sqlite',
    config: { package: 'pypi:mcp-server-sqlite==2025.4.25', args: ['--db-path', '/tmp/shop.db'] },
    says: "'Server' object has no attribute 'list_resources'",
  },
  {
    reason: 'it calls the program git, which the base image does not have',
    name: 'hosted-git',
    config: { package: 'pypi:mcp-server-git==2026.10.19' },
    says: 'Bad git executable',
  },
];
