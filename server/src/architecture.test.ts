// The rules of ARCHITECTURE.md, checked on the source text. A failure names the file and the import.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const parts = ['contract', 'project', 'server', 'cli', 'console'] as const;

/** The wings of server/src, and the folders and loose files of each. Lowest first; a folder imports only folders before it. */
const wings: Record<string, readonly (string | readonly string[])[]> = {
  ground: [
    [
      'config',
      'log.ts',
      'version.ts',
      'places-of-files.ts',
      'data-directory.ts',
      'derive-key.ts',
      'signature-headers.ts',
      'trace-context.ts',
      'run-token.ts',
      'first-use.ts',
      'within.ts',
      'is-same-secret.ts',
      'read-at-most.ts',
      'json-in.ts',
      'google-assertion.ts',
      'next-message.ts',
      'yield-turn.ts',
      'vectors',
      'background-work.ts',
      'collect-garbage.ts',
      'database',
      'copies',
      'envelope',
    ],
    'outbound',
    'queue',
    'runs',
  ],
  governance: ['audit', 'access', 'signing-keys', 'proof', 'http'],
  people: ['principals', 'service-principals', 'login'],
  assets: ['docker', 'workshop', 'images', 'registry', 'secrets', 'targets'],
  models: ['ledger', 'guardrails', 'traces', 'keys', 'gateway'],
  agents: [
    'approvals',
    'deploy',
    'permissions',
    'delegated-calls',
    'invoke',
    'memory',
    'knowledge',
    'connections',
    'prompts',
    'tools',
    'langgraph',
    'as-model',
    'served',
    'orchestration',
  ],
  telling: ['notifications', 'webhooks', 'home', 'events'],
  service: ['service'],
};
const ladder = Object.values(wings).flat();

interface Source {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
  imports: string[];
}

const sources: Source[] = parts.flatMap((part) =>
  readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => read(join(root, part, file))),
);
const production = sources.filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('server/src/testing/'));
const server = production.filter(({ path }) => path.startsWith('server/src/'));

function read(file: string): Source {
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)['"]([^'"]+)['"]/g)].map(
    ([, specifier = '']) => specifier,
  );
  const imports = specifiers.map((specifier) => {
    if (specifier.startsWith('.'))
      return relative(root, resolve(dirname(file), specifier))
        .split(sep)
        .join('/');
    return specifier.replace(/^@gantry\/(\w+)\//, '$1/src/');
  });
  return { path: relative(root, file).split(sep).join('/'), text, imports };
}

/** The folder of a server file in its wing. For a loose file, its own name; at the top, the empty text. */
function room(path: string): string {
  const [, , wing = '', folder = ''] = path.split('/');
  return wing === 'service' ? wing : folder;
}

const rung = (path: string) => rungOf(room(path));
const rungOf = (name: string) => ladder.findIndex((rooms) => [rooms].flat().includes(name));
const isRoof = (path: string) =>
  basename(path) === 'routes.ts' ||
  /^server\/src\/(roles\/\w+|app|await-schema|main|print-failure|foundation|containers|outgoing|uninstall)\.ts$/.test(
    path,
  );

function broken(of: readonly Source[], rule: (source: Source, imported: string) => boolean): string[] {
  return of.flatMap((source) =>
    source.imports.filter((imported) => rule(source, imported)).map((imported) => `${source.path} imports ${imported}`),
  );
}

test('the test finds the source files', () => {
  expect(server.length).toBeGreaterThan(50);
  expect(server.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
});

test('contract imports zod and the parser of server-sent events only; project, contract and the parsers of its files', () => {
  const allowed = {
    contract: /^(contract\/src\/|zod$|eventsource-parser\/stream$)/,
    project:
      /^((contract|project)\/src\/|zod$|re2js$|yaml$|smol-toml$|@marcbachmann\/cel-js$|@lezer\/(python|common|lr)$)/,
  };
  const pure = production.filter(({ path }) => /^(contract|project)\//.test(path));
  expect(
    broken(pure, ({ path }, imported) => !allowed[path.split('/')[0] as keyof typeof allowed].test(imported)),
  ).toEqual([]);
});

test('cli, console and server import contract and project, never each other', () => {
  const others = {
    cli: /^(server|console)\//,
    console: /^(server|cli)\//,
    server: /^(cli|console)\//,
    contract: /^(cli|console|server|project)\//,
    project: /^(cli|console|server)\//,
  };
  expect(
    broken(sources, ({ path }, imported) => others[path.split('/')[0] as keyof typeof others].test(imported)),
  ).toEqual([]);
});

test('every folder of the server has a place in the ladder, in its wing', () => {
  const below = server.filter(({ path }) => !isRoof(path) && !path.startsWith('server/src/service/'));
  const stray = below.filter(({ path }) => !(wings[path.split('/')[2] ?? ''] ?? []).flat().includes(room(path)));
  expect(stray.map(({ path }) => path)).toEqual([]);
});

test('ARCHITECTURE.md prints the ladder', () => {
  const printed = Object.entries(wings).map(
    ([wing, rooms]) => `${wing.padEnd(10)} ${rooms.map((some) => [some].flat().join(' ')).join(' < ')}`,
  );
  expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toContain(printed.join('\n'));
});

test('a folder imports only lower folders', () => {
  const upward = broken(
    server,
    ({ path }, imported) => !isRoof(path) && imported.startsWith('server/src/') && rung(imported) > rung(path),
  );
  expect(upward).toEqual([]);
});

test('routes.ts is imported by the roles, and by app.ts for the probes of each process', () => {
  expect(
    broken(
      production,
      ({ path }, imported) => imported.endsWith('/routes.ts') && !/^server\/src\/(app|roles\/\w+)\.ts$/.test(path),
    ),
  ).toEqual([]);
});

test('store.ts is imported only inside its folder', () => {
  expect(
    broken(
      production,
      ({ path }, imported) => /\/[\w-]*store\.ts$/.test(imported) && !path.startsWith(`${dirname(imported)}/`),
    ),
  ).toEqual([]);
});

test('the program of the service loads little before it knows its command', () => {
  const { text = '' } = server.find(({ path }) => path === 'server/src/main.ts') ?? {};
  const at_once = [...text.matchAll(/^import (?!type\b).*? from '(\.[^']+)';$/gm)].map(([, file = '']) => file);
  expect(at_once.toSorted()).toEqual([
    './ground/config/config.ts',
    './ground/config/settings-file.ts',
    './print-failure.ts',
  ]);
});

test('a plug imports its interface and none of its siblings', () => {
  const plugs = [
    'server/src/agents/deploy/targets/docker/local.ts',
    'server/src/agents/deploy/targets/docker/engine.ts',
    'server/src/agents/deploy/targets/gcp/gcp.ts',
    'server/src/agents/deploy/targets/azure/azure.ts',
    'server/src/agents/deploy/targets/kubernetes/kubernetes.ts',
    'server/src/agents/deploy/targets/aws/aws.ts',
    'server/src/assets/secrets/stores/ours.ts',
    'server/src/people/login/providers/local.ts',
  ];
  expect(plugs.filter((plug) => !sources.some(({ path }) => path === plug))).toEqual([]);
  expect(
    broken(production, ({ path }, imported) => plugs.includes(imported) && !/\/(index|app)\.ts$/.test(path)),
  ).toEqual([]);
});

const migrations = readdirSync(join(root, 'server/migrations')).map((name) =>
  readFileSync(join(root, 'server/migrations', name), 'utf8'),
);

/** Tables and views → the feature that its migration names as owner. */
const owners = new Map(
  migrations.flatMap((text) =>
    [...text.matchAll(/^create (?:table|view) (?:audit\.)?(\w+)/gm)].map(
      ([, table = '']) => [table, /^-- Owner: ([\w-]+)/.exec(text)?.[1] ?? ''] as const,
    ),
  ),
);

test('every table is written by the feature that its migration names as owner', () => {
  expect(owners.get('route')).toBe('deploy');
  const stray = server.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:insert into|update|delete from) (?:audit\.)?(\w+)\b/g)]
      .filter(([, table = '']) => owners.has(table) && owners.get(table) !== room(path))
      .map(([statement]) => `${path}: ${statement}`),
  );
  expect(stray).toEqual([]);
});

/** The tables in the SQL of a file. They are after certain words, after a comma of such a list, and at the start of a fragment. */
function tablesIn(text: string): string[] {
  const lists = [
    ...text.matchAll(
      /\b(?:from|join|into|update|using)\s+((?:audit\.)?\w+(?:(?: as)? \w+)?(?:, (?:audit\.)?\w+ \w+)*)/g,
    ),
    ...text.matchAll(/\bsql`\s*((?:audit\.)?\w+ \w+)(?= (?:join|left|cross|where)\b)/g),
  ].flatMap(([, list = '']) => list.split(', '));
  return lists.map((one) => one.replace('audit.', '').split(' ')[0] ?? '').filter((name) => owners.has(name));
}

/** SQL that names a table of a higher folder, and why it stays. */
const upward: Record<string, string> = {
  'assets/registry/references/reference-store.ts: running_content':
    'a view of deploy: what runs on any target keeps its references',
  'governance/audit/chain-store.ts: horizon': 'the trigger of audit.entry also reads it, and only proof changes it',
};

test('SQL names only tables of its own folder and of lower ones', () => {
  const named = server
    .filter(({ text }) => /\bsql`/.test(text))
    .flatMap(({ path, text }) => tablesIn(text).map((table) => ({ path, table })));
  expect(named.length).toBeGreaterThan(150);
  const above = named
    .filter(({ path, table }) => rungOf(owners.get(table) ?? '') > rung(path))
    .map(({ path, table }) => `${path.replace('server/src/', '')}: ${table}`);
  expect([...new Set(above)].toSorted()).toEqual(Object.keys(upward).toSorted());
});

test('governed tables are written only through tx.write', () => {
  const tables = migrations.flatMap((text) =>
    [...text.matchAll(/call audit\.govern\('(\w+)'\)/g)].map(([, table = '']) => table),
  );
  expect(tables).toContain('membership');
  const writes = new RegExp(`(insert into|update|delete from)\\s+(${tables.join('|')})\\b`, 'gi');
  const stray = server.flatMap(({ path, text }) =>
    [...text.matchAll(writes)]
      .filter(
        ({ index }) => !/\.write(<[^(]*>)?\(\s*'\w+',\s*sql`\s*$/.test(text.slice(Math.max(0, index - 160), index)),
      )
      .map(([statement]) => `${path}: ${statement}`),
  );
  expect(stray).toEqual([]);
});

test('SQL is only in store.ts, and in the few folders about SQL', () => {
  const rooms =
    /^server\/src\/(?:\w+\/)?(database\/|queue\/(lease|forget)\.ts|copies\/copies\.ts|access\/(acl|reading-grants|decide|entry-writer|change)\.ts|audit\/append\.ts|service\/(checks|readiness)\.ts|[\w/-]*\/([\w-]*store|policy)\.ts)/;
  expect(server.filter(({ path, text }) => /\bsql`/.test(text) && !rooms.test(path)).map(({ path }) => path)).toEqual(
    [],
  );
});

test('narrowing.test.ts compares every list condition with its rule', () => {
  const held = sources.find(({ path }) => path === 'server/src/governance/access/narrowing.test.ts')?.text ?? '';
  const conditions = server
    .filter(({ path }) => /(access\/decide|\/policy)\.ts$/.test(path))
    .flatMap(({ text }) =>
      [...text.matchAll(/^export function (\w+)\([^)]*\): Sql \{/gm)].map(([, name = '']) => name),
    );
  expect(conditions.length).toBeGreaterThan(8);
  expect(conditions.filter((name) => !name.startsWith('where') || !held.includes(`\${${name}(`))).toEqual([]);
});

test('only config.ts files read process.env', () => {
  expect(
    production
      .filter(({ path, text }) => text.includes('process.env') && basename(path) !== 'config.ts')
      .map(({ path }) => path),
  ).toEqual([]);
});

test('a file beside the code is found by places-of-files.ts of its package only', () => {
  const held = ['server/src/ground/places-of-files.ts', 'cli/src/places-of-files.ts'];
  const packages = production.filter(({ path }) => /^(contract|project|server|cli)\/src\/(?!testing\/)/.test(path));
  const named = packages.filter(({ text }) => /\bimport\.meta\.(dirname|filename|url|resolve)\b|__dirname/.test(text));
  // npm run prices asks Node where a package of it is.
  expect(named.map(({ path }) => path).toSorted()).toEqual(
    [...held, 'server/src/models/gateway/prices/compile-table.ts'].toSorted(),
  );
});

test('only cli/src/output.ts uses console.*', () => {
  expect(
    production
      .filter(({ path, text }) => /\bconsole\.\w+\(/.test(text) && path !== 'cli/src/output.ts')
      .map(({ path }) => path),
  ).toEqual([]);
});

test('exports are named', () => {
  const own = production.filter(({ path }) => path !== 'console/vite.config.ts');
  expect(own.filter(({ text }) => /^export default /m.test(text)).map(({ path }) => path)).toEqual([]);
});

const pages = production.filter(({ path }) => path.startsWith('console/src/'));

test('parts of the console know no page', () => {
  const below = pages.filter(({ path }) => path.startsWith('console/src/parts/'));
  expect(broken(below, (_, imported) => /^console\/src\/(pages|frame|routes)/.test(imported))).toEqual([]);
});

test('only the client reaches the service from the console, and the pages before the sign-in', () => {
  const own = pages.filter(({ path }) => path !== 'console/src/server.ts' && path !== 'console/src/sign-in/main.ts');
  expect(own.filter(({ text }) => /\b(fetch|EventSource|XMLHttpRequest)\(/.test(text)).map(({ path }) => path)).toEqual(
    [],
  );
});

test('the console makes no markup from text, and names no colour outside its theme', () => {
  const raw = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|['"`\s[]#[0-9a-f]{6}\b/i;
  expect(pages.filter(({ text }) => raw.test(text)).map(({ path }) => path)).toEqual([]);
});

test('no page of the console has the address of an endpoint', () => {
  const addresses = [...(pages.find(({ path }) => path.endsWith('/routes.tsx'))?.text ?? '').matchAll(/'(\/[^'.]*)'/g)];
  const shape = (path: string) => path.replaceAll(/\{\w+\}|\$\w+/g, '*').split('/');
  const meets = (page: string, endpoint: string) => {
    const [one, other] = [shape(page), shape(endpoint)];
    return (
      one.length === other.length && one.every((word, at) => word === other[at] || word === '*' || other[at] === '*')
    );
  };
  expect(addresses.length).toBeGreaterThan(30);
  const reads = Object.values<Endpoint>(endpoints).filter(({ method }) => method === 'GET');
  expect(
    addresses.flatMap(([, page = '']) => reads.filter(({ path }) => meets(page, path)).map(({ path }) => [page, path])),
  ).toEqual([]);
});

test('no file or folder has a catch-all name', () => {
  const drawers = /(^|\/)(utils?|helpers?|common|misc|shared|types|lib)(\.ts|\/)/;
  expect(sources.map(({ path }) => path).filter((path) => drawers.test(path))).toEqual([]);
});
