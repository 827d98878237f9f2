// Completions for YAML by a JSON Schema: the fields at the place of the cursor, and the values of a field with a list of them.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { Text } from '@codemirror/state';

export interface Schema {
  properties?: Record<string, Schema | boolean> | undefined;
  items?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  enum?: unknown;
  const?: unknown;
  type?: unknown;
  description?: string | undefined;
}

export function completeBySchema(schema: Schema): CompletionSource {
  return (context) => complete(schema, context);
}

function complete(schema: Schema, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const typed = line.text.slice(0, pos - line.from);
  const field = /^(\s*(?:- )?)([\w-]*)$/.exec(typed);
  if (field !== null) {
    const [, indent = '', start = ''] = field;
    if (start === '' && !explicit) return null;
    const options = fieldsOf(at(schema, pathTo(state.doc, line.number, indent.length)));
    return { from: pos - start.length, options, validFor: /^[\w-]*$/ };
  }
  const value = /^(\s*(?:- )?)([\w-]+):\s+([\w.-]*)$/.exec(typed);
  if (value === null) return null;
  const [, indent = '', key = '', start = ''] = value;
  const options = valuesOf(at(schema, [...pathTo(state.doc, line.number, indent.length), key]));
  return options.length === 0 ? null : { from: pos - start.length, options, validFor: /^[\w.-]*$/ };
}

/** The keys above a line, by their indentation. */
function pathTo(doc: Text, number: number, indent: number): string[] {
  const path: string[] = [];
  let least = indent;
  for (let n = number - 1; n >= 1 && least > 0; n--) {
    const [, spaces = '', key] = /^(\s*(?:- )?)([\w-]+):/.exec(doc.line(n).text) ?? [];
    if (key === undefined || spaces.length >= least) continue;
    path.unshift(key);
    least = spaces.length;
  }
  return path;
}

function at(schema: Schema, path: readonly string[]): Schema[] {
  let level = alternatives(schema);
  for (const key of path)
    level = level.flatMap((each) =>
      [each, ...alternatives(each.items)].flatMap(({ properties }) => alternatives(properties?.[key])),
    );
  return level;
}

function alternatives(schema: unknown): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { anyOf, oneOf } = schema as Schema;
  return [schema, ...[anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each.flatMap(alternatives) : []))];
}

function fieldsOf(level: readonly Schema[]): Completion[] {
  return level
    .flatMap((each) => [each, ...alternatives(each.items)])
    .flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([label, below]): Completion => {
        const { description, type } = typeof below === 'object' ? below : {};
        return {
          label,
          apply: `${label}: `,
          ...(typeof type === 'string' && { detail: type }),
          ...(description !== undefined && { info: description }),
        };
      }),
    );
}

function valuesOf(level: readonly Schema[]): Completion[] {
  return level.flatMap((each): Completion[] => {
    const values = Array.isArray(each.enum) ? each.enum : each.const === undefined ? [] : [each.const];
    if (each.type === 'boolean') values.push(true, false);
    return values.map((value) => ({ label: String(value) }));
  });
}
