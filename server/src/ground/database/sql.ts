// Plain SQL with separate values: sql`select … where id = ${id}`. Fragments nest; a value never becomes text.

export interface Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
}

export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return { strings, values };
}

/** An empty fragment, for optional parts. */
export const nothing: Sql = { strings: [''], values: [] };

/** All conditions with `and`; `true` when there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.reduce((all, one) => sql`${all} and ${one}`, sql`true`);
}

/** For an `idPrefix`, which contains no wildcard. */
export function beginsWith(id: Sql, prefix: string): Sql {
  return sql`${id}::text like ${`${prefix}%`}`;
}

export interface Statement {
  text: string;
  values: unknown[];
  /** With a name, a connection parses and plans the text once, not at every use. */
  name?: string;
}

/** The driver's input: text with $1, $2 … and the values in that order. */
export function compile(query: Sql): Statement {
  const values: unknown[] = [];
  const text = print(query, values);
  // Without values the text may be several statements, such as a migration; those cannot be named.
  return values.length === 0 ? { text, values } : { text, values, name: nameOf(text) };
}

// Texts come from templates in the source, never from values, so their number is limited.
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `q${names.size}`;
  names.set(text, name);
  return name;
}

function print(query: Sql, values: unknown[]): string {
  return query.strings.reduce((text, string, index) => {
    const value = query.values[index - 1];
    return text + (isSql(value) ? print(value, values) : `$${values.push(value)}`) + string;
  });
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;
}
