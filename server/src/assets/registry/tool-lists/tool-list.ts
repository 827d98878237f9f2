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

export interface ToolList {
  digest: string;
  /** By name. */
  tools: ListedTool[];
}

export interface ToolDifference {
  added: ListedTool[];
  removed: ListedTool[];
  changed: { before: ListedTool; after: ListedTool }[];
}

/**
 * Of two tools with one name the first counts: the second would hide behind it. `image`: what a hosted server runs. Another image is another list,
 * also with equal texts.
 */
export function toolList(listed: readonly ListedTool[], image?: string): ToolList {
  const tools = [...new Map(listed.toReversed().map((tool) => [tool.name, plain(tool)])).values()];
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { digest: digestOf(image === undefined ? sorted : { image, tools: sorted }), tools: sorted };
}

export function isSameTool(one: ListedTool, other: ListedTool): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export function compareTools(before: readonly ListedTool[], after: readonly ListedTool[]): ToolDifference {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: after.filter(({ name }) => !old.has(name)),
    removed: before.filter(({ name }) => !now.has(name)),
    changed: after.flatMap((tool) => {
      const was = old.get(tool.name);
      return was === undefined || isSameTool(was, tool) ? [] : [{ before: was, after: tool }];
    }),
  };
}

const byName = (tools: readonly ListedTool[]) => new Map(tools.map((tool) => [tool.name, tool]));

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
