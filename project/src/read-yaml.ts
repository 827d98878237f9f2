// YAML text → plain value, with a position for every key and value. It reads the YAML that a configuration needs: one document of maps with
// text keys, lists and scalars. Constructs that hide their meaning (duplicate and merge keys, aliases, tags, several documents) are
// findings without an effect. A hostile file must not cost more than some milliseconds, reach a prototype, or end the process.
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  type Node,
  type Pair,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import type { Edit, Finding, FindingCode } from './finding.ts';
import { lineFinder } from './line-finder.ts';
import { beyondYamlLimits, yamlLimits } from './read-yaml/limits.ts';
import { syntaxFinding } from './read-yaml/syntax-finding.ts';

export interface YamlPlace {
  /** Offsets of the key, for a value in a map. */
  key?: readonly [start: number, end: number];
  /** Offsets of the value; an empty range for an empty value. */
  value: readonly [start: number, end: number];
  /** True for a scalar on one line, whose source can be replaced as a whole. */
  replaceable: boolean;
}

export interface YamlSource {
  file: string;
  text: string;
  /** Undefined when the text is not readable as YAML. */
  value: unknown;
  /** By JSON pointer. */
  places: Map<string, YamlPlace>;
  findings: Finding[];
  /** A finding at an offset of this file. */
  finding: (code: FindingCode, offset: number, message: string, more?: FindingMore) => Finding;
}

interface FindingMore {
  severity?: Finding['severity'];
  pointer?: string;
  suggestion?: string | undefined;
  edit?: Edit | undefined;
}

export function readYaml(text: string, file: string): YamlSource {
  const find = lineFinder(text);
  const findings: Finding[] = [];
  const places = new Map<string, YamlPlace>();
  const finding: YamlSource['finding'] = (
    code,
    offset,
    message,
    { severity = 'error', pointer = '', suggestion, edit } = {},
  ) => ({
    code,
    severity,
    message,
    file,
    ...find(offset),
    pointer,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(edit === undefined ? {} : { edit }),
  });
  const source: YamlSource = { file, text, value: undefined, places, findings, finding };

  const refusal = refuseText(source);
  if (refusal !== undefined) return { ...source, findings: [refusal] };
  if (text.startsWith('\uFEFF')) {
    const suggestion = 'Save the file as UTF-8 without a byte order mark.';
    findings.push(
      finding('yaml_byte_order_mark', 0, 'The file starts with a byte order mark', {
        severity: 'warning',
        suggestion,
        edit: { start: 0, end: 1, text: '' },
      }),
    );
  }

  // Unique keys are checked below: the library's check costs the square of their number. Not `silent`: that option accepts further
  // documents without an error.
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  for (const error of document.errors.slice(0, max_errors)) findings.push(syntaxFinding(source, error));
  if (document.errors.length > 0) return source;
  source.value = toValue(source, document.contents, '');
  return source;
}

function refuseText({ text, finding }: YamlSource): Finding | undefined {
  if (text.length > yamlLimits.characters) {
    return finding(
      'yaml_too_large',
      0,
      `The file has ${text.length} characters; at most ${yamlLimits.characters} are read`,
    );
  }
  const binary = text.search(notText);
  if (binary >= 0) {
    return finding('yaml_not_text', binary, 'The file holds characters that are not text', {
      suggestion: 'Save it as UTF-8.',
    });
  }
  // `%YAML 1.1` would make `no` false, and enable merge keys.
  const directive = text.search(/^\uFEFF?%/m);
  if (directive >= 0)
    return finding('yaml_directive', directive, 'YAML directives are not read', {
      suggestion: 'Remove the line that starts with %.',
    });
  const beyond = beyondYamlLimits(text);
  if (beyond !== undefined) return finding('yaml_too_deep', beyond.offset, beyond.message);
  return undefined;
}

/** One more than a report shows, so that the report mentions the rest. */
const max_errors = 101;

/** Control characters that YAML forbids, the replacement character of a wrong decoding, and unpaired surrogates. */
const notText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd\ufffe\uffff]|\p{Surrogate}/u;

/** The depth is bounded before parsing, so recursion is safe. */
function toValue(source: YamlSource, node: ParsedNode | null, pointer: string, pair?: Pair): unknown {
  const value = node?.range ?? keyEnd(pair);
  const key = isNode(pair?.key) && pair.key.range ? ([pair.key.range[0], pair.key.range[1]] as const) : undefined;
  const replaceable =
    isScalar(node) &&
    node.tag === undefined &&
    value[0] < value[1] &&
    !source.text.slice(value[0], value[1]).includes('\n');
  source.places.set(pointer, { ...(key === undefined ? {} : { key }), value: [value[0], value[1]], replaceable });

  if (node === null) return null;
  if (isAlias(node)) {
    source.findings.push(
      source.finding('yaml_alias', value[0], `The alias *${node.source} is not followed`, {
        pointer,
        suggestion: 'Write the value out.',
      }),
    );
    return undefined;
  }
  if (node.tag !== undefined) {
    const message = 'YAML tags are not read; the form of a value decides its type';
    source.findings.push(
      source.finding('yaml_tag', value[0], message, {
        pointer,
        suggestion: 'Remove the tag; quote the value if it is text.',
      }),
    );
    return undefined;
  }
  if (isSeq<ParsedNode>(node)) {
    return node.items.map((item, index) => toValue(source, isPair(item) ? null : item, `${pointer}/${index}`));
  }
  if (isMap<ParsedNode, ParsedNode | null>(node)) return mapToValue(source, node, pointer);
  if (typeof node.value === 'number') warnOfNumberForm(source, node.source ?? '', node.value, value, pointer);
  return node.value;
}

function mapToValue(
  source: YamlSource,
  map: YAMLMap<ParsedNode, ParsedNode | null>,
  pointer: string,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const firstOffset = new Map<string, number>();
  for (const pair of map.items) {
    const offset = offsetOf(pair.key);
    const key = textKey(pair.key);
    const refuse = (code: FindingCode, message: string, more: FindingMore = {}): void => {
      source.findings.push(source.finding(code, offset, message, { pointer, ...more }));
    };
    if (key === undefined) {
      refuse('yaml_key_not_text', 'A key must be text', {
        suggestion: 'Quote the key, or check for a missing space or line break.',
      });
      continue;
    }
    const below = `${pointer}/${escapePointer(key)}`;
    const first = firstOffset.get(key);
    if (key === '<<')
      refuse('yaml_merge_key', 'Merge keys (<<) are not followed', {
        pointer: below,
        suggestion: 'Write the fields out.',
      });
    else if (key === '__proto__') refuse('yaml_forbidden_key', '`__proto__` cannot be a key', { pointer: below });
    else if (first !== undefined) {
      const { line } = source.finding('yaml_duplicate_key', first, '');
      refuse('yaml_duplicate_key', `\`${key}\` is repeated; it is already on line ${line}`, {
        pointer: below,
        suggestion: 'Keep one of the two.',
      });
    } else {
      firstOffset.set(key, offset);
      result[key] = toValue(source, pair.value, below, pair);
    }
  }
  return result;
}

function textKey(key: ParsedNode): string | undefined {
  if (!isScalar(key) || key.tag !== undefined) return undefined;
  // `on`, `no` and `1` keep their text as keys. YAML 1.2 reads the first two as text. The third is refused.
  return typeof key.value === 'string' ? key.value : undefined;
}

const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const offsetOf = (node: Node): number => node.range?.[0] ?? 0;

function keyEnd(pair: Pair | undefined): readonly [number, number] {
  const end = isNode(pair?.key) ? (pair.key.range?.[1] ?? 0) : 0;
  return [end, end];
}

/** `010` is ten in YAML 1.2 and eight in YAML 1.1. Hexadecimal and octal numbers are reported too. */
function warnOfNumberForm(
  source: YamlSource,
  written: string,
  value: number,
  [start, end]: readonly number[],
  pointer: string,
): void {
  if (!/^[-+]?0[0-9xo]/.test(written) || start === undefined || end === undefined) return;
  const message = `${written} is read as ${value}; other YAML readers read another number`;
  source.findings.push(
    source.finding('yaml_number_form', start, message, {
      severity: 'warning',
      pointer,
      edit: { start, end, text: String(value) },
    }),
  );
}
