// langgraph.json: langgraph's own list of graphs and dependencies. This reads it and runs nothing. Fields that are not listed here are
// left to langgraph. The text is hostile: its length is bounded, and none of its names becomes a prototype.
import type { ProjectFiles } from './agent-project/files.ts';
import { readText } from './agent-project/read-text.ts';
import type { Finding, FindingCode } from './finding.ts';
import { lineFinder } from './line-finder.ts';
import { pathInside } from './folders/path-inside.ts';

export interface LanggraphJson {
  /** By the names under which langgraph serves them. */
  graphs: Readonly<Record<string, LanggraphGraph>>;
  dependencies: readonly LanggraphDependency[];
  /** The path of a file with variables, or the variables. */
  env?: string | Readonly<Record<string, string>>;
  /** As written: `3.11`. */
  python_version?: string;
}

/** `./src/agent/graph.py:make_graph`; for a dotted module, its path from a source root. */
interface LanggraphGraph {
  path: string;
  name: string;
}

/** An entry with a leading dot is a folder of the project, and `.` is the project itself. Every other entry is a requirement. */
type LanggraphDependency = { folder: string; line: number } | { requirement: string; line: number };

export const langgraphJsonLimits = {
  characters: 262_144,
  entries: 1_000,
  /** langgraph has no limit; a person names a handful. */
  folders: 50,
} as const;

/** The project's langgraph.json, if it has one. */
export function findLanggraphJson(files: ProjectFiles): ReturnType<typeof readLanggraphJson> | undefined {
  const file = files.list().find(({ path }) => path === 'langgraph.json');
  if (file === undefined) return undefined;
  const text = readText(files, file, 4 * langgraphJsonLimits.characters);
  return typeof text === 'string' ? readLanggraphJson(text) : { findings: [text] };
}

/** Never throws, for any text. */
export function readLanggraphJson(
  text: string,
  file = 'langgraph.json',
): { config?: LanggraphJson; findings: Finding[] } {
  const findings: Finding[] = [];
  const source: Source = { text, find: lineFinder(text), findings, file };
  if (text.length > langgraphJsonLimits.characters) {
    refuse(source, 'file_too_large', {
      message: `${file} has ${text.length} characters; at most ${langgraphJsonLimits.characters} are read`,
    });
    return { findings };
  }
  const value = parse(source);
  if (value === undefined) return { findings };
  const env = readEnvironment(value['env']);
  const python_version = value['python_version'];
  findings.push(...withoutEffect(source, value));
  checkStore(source, value['store']);
  checkCheckpointer(source, value['checkpointer']);
  return {
    config: {
      graphs: readGraphs(source, value['graphs']),
      dependencies: readDependencies(source, value['dependencies']),
      ...(env === undefined ? {} : { env }),
      ...(typeof python_version === 'string' ? { python_version } : {}),
    },
    findings,
  };
}

interface Source {
  file: string;
  text: string;
  find: ReturnType<typeof lineFinder>;
  findings: Finding[];
}

type Fields = Readonly<Record<string, unknown>>;

function parse(source: Source): Fields | undefined {
  try {
    const value: unknown = JSON.parse(source.text.replace(/^\uFEFF/, ''));
    if (isObject(value)) return value;
    refuse(source, 'wrong_type', { message: `${source.file} is not an object` });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = Number(/at position (\d+)/.exec(error.message)?.[1] ?? 0);
    refuse(source, 'json_syntax', { message: `${source.file} is not JSON`, offset });
  }
  return undefined;
}

/** What langgraph's own server would do with these fields, and this service does not. */
const no_effect: Readonly<Record<string, { why: string; suggestion?: string }>> = {
  auth: { why: 'the service signs the callers in, and the permissions of the agent decide' },
  http: { why: 'the service has its own routes and rules for them, and serves no others' },
  dockerfile_lines: {
    why: 'the service builds the image by itself, so the system packages of these lines are missing',
    suggestion: 'Take packages of Python that bring what they need.',
  },
};

function withoutEffect({ file, text, find }: Source, value: Fields): Finding[] {
  return Object.entries(no_effect).flatMap(([field, { why, suggestion }]): Finding[] => {
    const written = value[field];
    if (written === undefined || written === null || (Array.isArray(written) && written.length === 0)) return [];
    return [
      {
        code: 'setting_ignored',
        severity: 'notice',
        message: `\`${field}\` of langgraph.json has no effect: ${why}`,
        file,
        ...find(offsetOf(text, field)),
        pointer: `/${field}`,
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    ];
  });
}

/** The wrapper reads `store.ttl.default_ttl` and `store.index.fields` in the container (langgraph/kept/store_settings.py). */
function checkStore(source: Source, store: unknown): void {
  if (store === undefined || store === null) return;
  const [ttl, index] = isObject(store) ? [store['ttl'] ?? {}, store['index'] ?? {}] : [];
  if (!isObject(ttl) || !isObject(index)) {
    refuse(source, 'wrong_type', {
      message: '`store` must be an object, and its `ttl` and `index` too',
      offset: offsetOf(source.text, 'store'),
      pointer: '/store',
    });
    return;
  }
  const refuseField = (name: string, message: string, pointer: string) =>
    refuse(source, 'invalid_value', { message, offset: offsetOf(source.text, name), pointer });
  const { default_ttl, refresh_on_read } = ttl;
  const { fields, embed } = index;
  if (!isAbsent(default_ttl) && !(typeof default_ttl === 'number' && default_ttl > 0 && default_ttl <= most_minutes))
    refuseField(
      'default_ttl',
      `\`default_ttl\` must be a number of minutes above 0, at most ${most_minutes}`,
      '/store/ttl/default_ttl',
    );
  if (refresh_on_read === false)
    refuseField(
      'refresh_on_read',
      '`refresh_on_read` cannot be false: an item of the service lasts anew after each read',
      '/store/ttl/refresh_on_read',
    );
  if (!isAbsent(fields) && !(Array.isArray(fields) && fields.length <= most_paths && fields.every(isPath)))
    refuseField('fields', `\`fields\` must be a list of at most ${most_paths} paths`, '/store/index/fields');
  if (!isAbsent(embed))
    source.findings.push({
      code: 'setting_ignored',
      severity: 'notice',
      message:
        '`embed` of langgraph.json has no effect: the store of the service finds items by the model that the memory config of the agent names, else by their words',
      file: source.file,
      ...source.find(offsetOf(source.text, 'embed')),
      pointer: '/store/index/embed',
      suggestion: 'Write `memory: memory-configs/<name>` in agent.yaml, and `embedding: models/<name>` in that config.',
    });
}

/** The wrapper reads `checkpointer.ttl.default_ttl` too. The service keeps the threads of a graph, or the graph itself does. */
function checkCheckpointer(source: Source, checkpointer: unknown): void {
  if (isAbsent(checkpointer)) return;
  const ttl = isObject(checkpointer) ? (checkpointer['ttl'] ?? {}) : undefined;
  if (!isObject(checkpointer) || !isObject(ttl)) {
    refuse(source, 'wrong_type', {
      message: '`checkpointer` must be an object, and its `ttl` too',
      offset: offsetOf(source.text, 'checkpointer'),
      pointer: '/checkpointer',
    });
    return;
  }
  const refuseField = (name: string, message: string, pointer: string, suggestion?: string) =>
    refuse(source, 'invalid_value', {
      message,
      offset: offsetOf(source.text, name),
      pointer,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  const { path, ttl: _, ...others } = checkpointer;
  if (!isAbsent(path))
    refuseField(
      'path',
      '`checkpointer.path` names a checkpointer that langgraph’s server would load, and nothing loads it here',
      '/checkpointer/path',
      'Compile the graph with it, or leave it out: then the service keeps the threads.',
    );
  const { default_ttl, strategy } = ttl;
  if (
    !isAbsent(default_ttl) &&
    !(typeof default_ttl === 'number' && default_ttl > 0 && default_ttl <= most_thread_minutes)
  )
    refuseField(
      'default_ttl',
      `\`default_ttl\` must be a number of minutes above 0, at most ${most_thread_minutes}`,
      '/checkpointer/ttl/default_ttl',
    );
  if (!isAbsent(strategy) && strategy !== 'delete')
    refuseField(
      'strategy',
      '`strategy` must be delete: a thread ends as a whole, after its last use',
      '/checkpointer/ttl/strategy',
    );
  for (const field of Object.keys(others).slice(0, langgraphJsonLimits.entries))
    source.findings.push({
      code: 'setting_ignored',
      severity: 'notice',
      message: `\`${field.slice(0, 80)}\` of \`checkpointer\` in langgraph.json has no effect: the service keeps the threads, without pickle`,
      file: source.file,
      ...source.find(offsetOf(source.text, field)),
      pointer: `/checkpointer/${field.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    });
}

/** Ten years, as a memory config. */
const most_thread_minutes = 5_256_000;
/** As the door of memory takes them (contract/src/agents/memory.ts). */
const most_minutes = 52_560_000;
const most_paths = 100;
const isPath = (path: unknown) => typeof path === 'string' && path.length <= 500;
const isAbsent = (value: unknown) => value === undefined || value === null;

function readGraphs(source: Source, value: unknown): Readonly<Record<string, LanggraphGraph>> {
  if (value === undefined) return {};
  if (!isObject(value)) {
    refuse(source, 'wrong_type', { message: '`graphs` must be an object', pointer: '/graphs' });
    return {};
  }
  const graphs: [string, LanggraphGraph][] = [];
  for (const [name, written] of Object.entries(value).slice(0, langgraphJsonLimits.entries)) {
    const place = isObject(written) ? written['path'] : written;
    const graph = typeof place === 'string' ? readGraph(place) : undefined;
    if (graph !== undefined && name !== '__proto__') graphs.push([name, graph]);
    else
      refuse(source, 'invalid_value', {
        message: `The graph ${JSON.stringify(name.slice(0, 80))} does not name a file in the project`,
        offset: offsetOf(source.text, name),
        pointer: `/graphs/${name.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        suggestion: 'Write a path and a name, such as ./src/agent/graph.py:graph',
      });
  }
  return Object.fromEntries(graphs);
}

function readGraph(written: string): LanggraphGraph | undefined {
  const [, place, name] = /^([^:]+):([A-Za-z_][A-Za-z0-9_]*)$/.exec(written) ?? [];
  if (place === undefined || name === undefined) return undefined;
  const isPath = place.includes('/') || /\.\w?[jt]sx?$|\.py$/.test(place);
  const path = pathInside('.', isPath ? place : `${place.replaceAll('.', '/')}.py`);
  return path === undefined || path === '.' ? undefined : { path, name };
}

function readDependencies(source: Source, value: unknown): LanggraphDependency[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    refuse(source, 'wrong_type', { message: '`dependencies` must be a list', pointer: '/dependencies' });
    return [];
  }
  if (value.length > langgraphJsonLimits.entries) {
    const message = `\`dependencies\` has more than ${langgraphJsonLimits.entries} entries`;
    refuse(source, 'file_too_large', { message, pointer: '/dependencies' });
    return [];
  }
  const folders = new Set<string>();
  return value.flatMap((entry: unknown, index): LanggraphDependency[] => {
    const pointer = `/dependencies/${index}`;
    if (typeof entry !== 'string') {
      refuse(source, 'wrong_type', { message: 'A dependency must be text', pointer });
      return [];
    }
    const offset = offsetOf(source.text, entry);
    const { line } = source.find(offset);
    if (!entry.startsWith('.')) return [{ requirement: entry, line }];
    const folder = pathInside('.', entry);
    if (folder === undefined) {
      const message = `The dependency ${entry.slice(0, 80)} lies outside the project`;
      const suggestion = 'Copy it into the project, or name a package of the package index.';
      refuse(source, 'unsafe_path', { message, offset, pointer, suggestion });
      return [];
    }
    if (folder.includes(':')) {
      const message = `The folder ${entry.slice(0, 80)} has a colon in its name, and colons separate the folders of PYTHONPATH`;
      refuse(source, 'unsafe_path', { message, offset, pointer, suggestion: 'Give it another name.' });
      return [];
    }
    if (folders.has(folder)) return [];
    folders.add(folder);
    if (folders.size <= langgraphJsonLimits.folders) return [{ folder, line }];
    if (folders.size === langgraphJsonLimits.folders + 1) {
      const message = `\`dependencies\` names more than ${langgraphJsonLimits.folders} folders`;
      refuse(source, 'file_too_large', { message, offset, pointer });
    }
    return [];
  });
}

function readEnvironment(value: unknown): LanggraphJson['env'] {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== '__proto__',
    ),
  );
}

/** JSON.parse gives no positions, so this searches for the text as JSON prints it. */
function offsetOf(text: string, value: string): number {
  return Math.max(0, text.indexOf(JSON.stringify(value)));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(
  source: Source,
  code: FindingCode,
  {
    message,
    offset = 0,
    pointer = '',
    suggestion,
  }: { message: string; offset?: number; pointer?: string; suggestion?: string },
): void {
  source.findings.push({
    code,
    severity: 'error',
    message,
    file: source.file,
    ...source.find(offset),
    pointer,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}
