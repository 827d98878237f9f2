// What an MCP server offers, in one form. The digest covers each text and schema that a model or a person reads. Pure.
import { canonicalJson } from '../../../governance/audit/canonical-json.ts';
import { digestOf } from '../content.ts';

/** As the server lists it, without what says nothing about the tool itself. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

export interface ListedPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: Record<string, unknown>[];
}

export interface ToolList {
  digest: string;
  /** By name. */
  tools: ListedTool[];
  prompts: ListedPrompt[];
}

export interface ListDifference<T> {
  added: T[];
  removed: T[];
  changed: { before: T; after: T }[];
}

interface BesideTools {
  prompts?: readonly ListedPrompt[];
  /** What a hosted server runs. Another image is another list, also with equal texts. */
  image?: string | undefined;
}

/** Of two tools with one name the first counts: the second would hide behind it. */
export function toolList(
  listed: readonly ListedTool[],
  { prompts: listed_prompts = [], image }: BesideTools = {},
): ToolList {
  const tools = sorted(listed.map(plain));
  const prompts = sorted(listed_prompts);
  // The digest of a list of tools alone is older than prompts and images.
  const more = { ...(prompts.length > 0 && { prompts }), ...(image !== undefined && { image }) };
  return { digest: digestOf(Object.keys(more).length === 0 ? tools : { tools, ...more }), tools, prompts };
}

function sorted<T extends { name: string }>(listed: readonly T[]): T[] {
  const firsts = [...new Map(listed.toReversed().map((one) => [one.name, one])).values()];
  return firsts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function isSame<T extends ListedTool | ListedPrompt>(one: T, other: T): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export function compareLists<T extends ListedTool | ListedPrompt>(
  before: readonly T[],
  after: readonly T[],
): ListDifference<T> {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: after.filter(({ name }) => !old.has(name)),
    removed: before.filter(({ name }) => !now.has(name)),
    changed: after.flatMap((tool) => {
      const was = old.get(tool.name);
      return was === undefined || isSame(was, tool) ? [] : [{ before: was, after: tool }];
    }),
  };
}

const byName = <T extends { name: string }>(list: readonly T[]) => new Map(list.map((one) => [one.name, one]));

function plain({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool): ListedTool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** False only where the server says that the tool changes nothing. */
export function mayWrite({ annotations }: Pick<ListedTool, 'annotations'>): boolean {
  return annotations?.['readOnlyHint'] !== true;
}
