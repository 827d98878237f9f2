// The graphs that langgraph.json names: those whose file is in the project, those whose file is not, and those beside an agent.py that
// counts instead of them.
import { max_source_length, findExports } from './python-exports.ts';
import { readText } from '../agent-project/read-text.ts';
import type { ProjectFiles } from '../agent-project/files.ts';
import { parseEntrypoint, printEntrypoint } from './entrypoint.ts';
import type { FoundAgent } from './find-agents.ts';
import { frameworks } from '../frameworks.ts';
import { findLanggraphJson } from '../langgraph-json.ts';
import { joined } from '../folders/path-inside.ts';
import { sourceRoots } from '../folders/source-roots.ts';

export interface DeclaredGraph extends FoundAgent {
  entrypoint: string;
}

export interface MissingGraph extends DeclaredGraph {
  /** A sentence with the folders that were searched, and with the fix where the file is in another one. */
  why: string;
}

export function declaredGraphs(files: ProjectFiles): { there: DeclaredGraph[]; missing: MissingGraph[] } {
  const config = findLanggraphJson(files)?.config;
  if (config === undefined) return { there: [], missing: [] };
  const paths = new Set(files.list().map((file) => file.path));
  const roots = [...new Set(['.', ...sourceRoots(files, config)])];
  const byName = Map.groupBy(paths, (one) => one.slice(one.lastIndexOf('/') + 1));
  const there: DeclaredGraph[] = [];
  const missing: MissingGraph[] = [];
  for (const [id, { path, name }] of Object.entries(config.graphs)) {
    // langgraph imports a dotted module from the source roots, so they are searched here too.
    const forms = [path, path.replace(/\.py$/, '/__init__.py')];
    const file = roots.flatMap((root) => forms.map((form) => joined(root, form))).find((each) => paths.has(each));
    const entrypoint = printEntrypoint({ file: file ?? path, name });
    if (parseEntrypoint(entrypoint) === undefined) continue;
    const graph = { framework: 'langgraph' as const, entrypoint, found: `graph "${id}" of langgraph.json` };
    if (file === undefined) missing.push({ ...graph, why: whyMissing({ graph, path, roots, byName, forms }) });
    else there.push(graph);
  }
  return { there, missing };
}

function whyMissing({
  graph,
  path,
  roots,
  byName,
  forms,
}: {
  graph: DeclaredGraph;
  path: string;
  roots: readonly string[];
  byName: ReadonlyMap<string, readonly string[]>;
  forms: readonly string[];
}): string {
  const others = roots.filter((root) => root !== '.').slice(0, most_named);
  const places = ['the project folder', ...others.map((root) => `${root}/`)].join(', ');
  const folder = folderWith(byName, forms);
  const advice =
    folder === undefined ? '' : ` It is in ${folder}/: add "./${folder}" to \`dependencies\` of langgraph.json.`;
  return `The ${graph.found} names ${path}, which is in no folder that modules are imported from (searched: ${places}).${advice}`;
}

const most_named = 10;

/** The one folder that has the file at the same path below it. With several, none is known to be the right one. */
function folderWith(byName: ReadonlyMap<string, readonly string[]>, forms: readonly string[]): string | undefined {
  const folders = forms.flatMap((form) =>
    (byName.get(form.slice(form.lastIndexOf('/') + 1)) ?? []).flatMap((path) =>
      path.endsWith(`/${form}`) ? [path.slice(0, -form.length - 1)] : [],
    ),
  );
  return folders.length === 1 ? folders[0] : undefined;
}

export interface Disagreement {
  /** `agent.py:app` */
  taken: string;
  others: DeclaredGraph[];
}

/** An agent.py that makes a graph of its own, beside a langgraph.json that names only other ones. By the spec agent.py counts. */
export function disagreement(files: ProjectFiles): Disagreement | undefined {
  const { there } = declaredGraphs(files);
  const file = there.length === 0 ? undefined : files.list().find(({ path }) => path === 'agent.py');
  const text = file === undefined ? undefined : readText(files, file, max_source_length);
  if (typeof text !== 'string' || text.length > max_source_length) return undefined;
  const { names } = findExports(text);
  const name = frameworks.langgraph.exports.find((each) => names.has(each));
  // An imported graph can be the declared one.
  if (name === undefined || names.get(name)?.kind === 'import') return undefined;
  const taken = printEntrypoint({ file: 'agent.py', name });
  return there.some(({ entrypoint }) => entrypoint === taken) ? undefined : { taken, others: there };
}

/** What counts, and how to choose another one. */
export function describeDisagreement({ taken, others }: Disagreement): { message: string; suggestion: string } {
  const [first] = others;
  const named = others.slice(0, most_named).map(({ entrypoint }) => entrypoint);
  return {
    message: `agent.py and langgraph.json disagree: ${taken} counts, and not ${named.join(' or ')} of langgraph.json`,
    suggestion: `To take a graph of langgraph.json: svc init --entrypoint ${first?.entrypoint ?? ''}`,
  };
}
