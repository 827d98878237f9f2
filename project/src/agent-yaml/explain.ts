// A fault from the schema → a finding: its place, the value, the fault and the fix. It has an edit where only one is possible.
import type { z } from 'zod';
import type { Edit, Finding, FindingCode } from '../finding.ts';
import { nearest } from '@gantry/contract/nearest.ts';
import type { YamlPlace, YamlSource } from '../read-yaml.ts';
import { describeField, fieldPaths, fieldsAt, type JsonSchema } from '@gantry/contract/formats/json-schema.ts';
import { agentJsonSchema } from './json-schema.ts';
import { suggestReplacement } from './suggest-replacement.ts';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** The name of a file in messages, and its schema. */
export interface FileForm {
  name: string;
  schema: () => JsonSchema;
}

const agentYaml: FileForm = { name: 'agent.yaml', schema: agentJsonSchema };

/** Issues of the schema of `form`, with their places. */
export function explain(source: YamlSource, issues: readonly Issue[], form = agentYaml): Finding[] {
  // A value of the wrong type has one finding; its other issues are dropped.
  const misfits = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => pointerOf(path)));
  const telling = issues.filter(({ code, path }) => code === 'invalid_type' || !misfits.has(pointerOf(path)));
  return telling
    .flatMap((issue) => explainOne({ source, form }, issue, issue.path))
    .filter((finding) => !isKnown(source, finding));
}

/** An unread value (an alias, a tag) already has a finding, so the schema's finding for it is dropped. */
function isKnown(source: YamlSource, { pointer }: Finding): boolean {
  return source.findings.some(
    (earlier) =>
      earlier.severity === 'error' && (pointer === earlier.pointer || pointer.startsWith(`${earlier.pointer}/`)),
  );
}

interface File {
  source: YamlSource;
  form: FileForm;
}

function explainOne(file: File, issue: Issue, path: Path): Finding[] {
  const { source, form } = file;
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    // No entry of a list has this name; the names are those of the alternatives.
    return explainOne(file, { ...issue, code: 'invalid_value', values: issue.options }, path);
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const place = source.places.get(pointerOf(path));
    if (place !== undefined && issue.errors.every(isOfAnotherKind)) {
      const message = `\`${nameOf(path, form)}\` must be ${oneOf([...new Set(issue.errors.flatMap(expectedKinds))])}`;
      return [source.finding('wrong_type', place.value[0], message, { pointer: pointerOf(path) })];
    }
    return likeliestBranch(issue.errors, valueAt(source.value, path)).flatMap((inner) =>
      explainOne(file, inner, [...path, ...inner.path]),
    );
  }
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(file, path, key));
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => badKey(file, path, inner));

  const place = source.places.get(pointerOf(path));
  if (place === undefined) return [missingField(file, path, issue)];
  const value = valueAt(source.value, path);
  // The value of a variable can be a secret, and findings are sent and logged.
  const isPrivate = /(^|\.)env_vars\./.test(nameOf(path, form));
  const shown = isPrivate
    ? 'this'
    : place.replaceable
      ? shorten(source.text.slice(place.value[0], place.value[1]))
      : show(value);
  const reason = value === null ? 'has no value' : reasonOf(issue, value, shown);
  const { text, suggestion } = better(issue, path, value, place, source.text);
  const pointer = pointerOf(path);
  const edit =
    text === undefined || !place.replaceable ? undefined : { start: place.value[0], end: place.value[1], text };
  const told = isPrivate && text !== undefined ? 'Put it in quotes.' : suggestion;
  return [
    source.finding(codeOf(issue), place.value[0], `\`${nameOf(path, form)}\` ${reason}`, {
      pointer,
      suggestion: told,
      edit,
    }),
  ];
}

const isOfAnotherKind = (issues: readonly Issue[]): boolean =>
  issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0);

/** A list of words was expected in place of a map. */
const isAboutWords = (issues: readonly Issue[]): boolean =>
  issues.some((issue) => issue.code === 'invalid_value' && issue.path.length === 0);

const expectedKinds = (issues: readonly Issue[]): string[] =>
  issues.flatMap((issue) => (issue.code === 'invalid_type' ? [kinds[issue.expected] ?? issue.expected] : []));

/** The alternative that the author most likely meant: right type first, then the fewest unknown fields. */
function likeliestBranch(branches: readonly Issue[][], value: unknown): Issue[] {
  const cost = (issues: Issue[]): number =>
    (isOfAnotherKind(issues) || (typeof value === 'object' && isAboutWords(issues)) ? 1000 : 0) +
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 10 * issue.keys.length : 1), 0);
  return branches.toSorted((a, b) => cost(a) - cost(b))[0] ?? [];
}

function unknownField({ source, form }: File, path: Path, key: string): Finding {
  const full = [...path, key];
  const place = source.places.get(pointerOf(full));
  const offset = place?.key?.[0] ?? 0;
  const meant = nearest(key, fieldsAt(path, form.schema()));
  const elsewhere =
    meant === undefined
      ? fieldPaths(form.schema())
          .find((known) => known.length > 1 && known.at(-1) === key)
          ?.slice(0, -1)
      : undefined;
  const suggestion =
    meant !== undefined
      ? `Did you mean \`${meant}\`?`
      : elsewhere !== undefined
        ? `It belongs under \`${elsewhere.join('.')}\`.`
        : undefined;
  const taken = meant !== undefined && source.places.has(pointerOf([...path, meant]));
  const edit: Edit | undefined =
    meant === undefined || taken || place?.key === undefined
      ? undefined
      : { start: place.key[0], end: place.key[1], text: meant };
  return source.finding('unknown_field', offset, `\`${nameOf(full, form)}\` is not a field of ${form.name}`, {
    pointer: pointerOf(full),
    suggestion,
    edit,
  });
}

function missingField({ source, form }: File, path: Path, issue: Issue): Finding {
  const parent = source.places.get(pointerOf(path.slice(0, -1)));
  const offset = parent?.key?.[0] ?? parent?.value[0] ?? 0;
  const describes = describeField(path, form.schema());
  // The message of a rule over several fields, for an absent field.
  const reason = issue.code === 'custom' ? issue.message : 'is missing';
  return source.finding('missing_field', offset, `\`${nameOf(path, form)}\` ${reason}`, {
    pointer: pointerOf(path),
    suggestion: describes === undefined ? undefined : `Add it. ${describes}.`,
  });
}

function badKey({ source, form }: File, path: Path, inner: Issue): Finding {
  const offset = source.places.get(pointerOf(path))?.key?.[0] ?? 0;
  return source.finding(codeOf(inner), offset, `\`${nameOf(path, form)}\` ${inner.message}`, {
    pointer: pointerOf(path),
  });
}

function codeOf(issue: Issue): FindingCode {
  if (issue.code === 'invalid_type') return 'wrong_type';
  const finding: unknown = issue.code === 'custom' ? issue.params?.['finding'] : undefined;
  return finding === 'duplicate_entry' || finding === 'reserved_name' ? finding : 'invalid_value';
}

function reasonOf(issue: Issue, value: unknown, shown: string): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}, and ${shown} is ${kindOf(value)}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}, not ${shown}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    default:
      return issue.message.startsWith('must be') ? `${issue.message}, not ${shown}` : issue.message;
  }
}

function better(
  issue: Issue,
  path: Path,
  value: unknown,
  place: YamlPlace,
  text: string,
): { text?: string | undefined; suggestion?: string | undefined } {
  if (value === null) return { suggestion: 'Give it a value, or remove the line.' };
  const written = typeof value === 'string' ? value : text.slice(place.value[0], place.value[1]);
  if (issue.code === 'invalid_value') {
    const meant = typeof value === 'string' ? nearest(value, issue.values.map(String)) : undefined;
    return meant === undefined ? {} : { text: meant, suggestion: `Did you mean \`${meant}\`?` };
  }
  const replacement = suggestReplacement({
    path,
    written,
    expected: issue.code === 'invalid_type' ? issue.expected : undefined,
  });
  return replacement === undefined ? {} : { text: replacement, suggestion: `Write ${replacement}` };
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'none';
  return kinds[typeof value] ?? typeof value;
}

const unitOf = (origin: string): string =>
  origin === 'string' ? ' characters long' : origin === 'array' ? ' entries long' : '';

function oneOf(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

const show = (value: unknown): string => (typeof value === 'string' ? shorten(JSON.stringify(value)) : 'this');

const shorten = (written: string): string => (written.length > 60 ? `${written.slice(0, 57)}…` : written);

export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function nameOf(path: Path, form: FileForm): string {
  return (
    path
      .map((step, index) =>
        typeof step === 'number' ? `[${step}]` : (index === 0 ? '' : '.') + String(step).slice(0, 80),
      )
      .join('') || form.name
  );
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.getOwnPropertyDescriptor(at, step)?.value;
  }
  return at;
}
