// Values → the text of an agent.yaml. Its comments and the order of its fields stay; a new field gets its usual place.
import { isMap, isScalar, parseDocument, type Document } from 'yaml';
import { beyondYamlLimits, yamlLimits } from '../read-yaml/limits.ts';
import { agentConfig } from './config.ts';

export interface FieldValue {
  path: readonly [string, ...string[]];
  /** Undefined removes the field, and the maps that it leaves empty. */
  value: string | readonly string[] | Readonly<Record<string, string>> | undefined;
}

/** Undefined for a text that is no map in readable YAML, which a person mends first. */
export function putFields(text: string, fields: readonly FieldValue[]): string | undefined {
  if (text.length > yamlLimits.characters || beyondYamlLimits(text) !== undefined) return undefined;
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined;
  for (const field of fields) put(document, field);
  return document.toString({ lineWidth: 0 });
}

function put(document: Document, { path, value }: FieldValue): void {
  const [first, ...below] = path;
  if (value === undefined) {
    document.deleteIn(path);
    if (below.length > 0 && isEmptyMap(document.get(first, true))) document.delete(first);
    return;
  }
  const isThere = document.has(first) && (below.length === 0 || isMap(document.get(first, true)));
  if (isThere) document.setIn(path, typeof value === 'string' ? value : document.createNode(value));
  else
    add(
      document,
      first,
      below.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
    );
}

const order: readonly string[] = Object.keys(agentConfig.shape);

function add(document: Document, name: string, value: unknown): void {
  if (!isMap(document.contents)) return document.set(name, value);
  document.delete(name);
  const { items } = document.contents;
  const later = items.findIndex(({ key }) => isScalar(key) && order.indexOf(String(key.value)) > order.indexOf(name));
  items.splice(later < 0 ? items.length : later, 0, document.createPair(name, value));
}

const isEmptyMap = (node: unknown): boolean => isMap(node) && node.items.length === 0;
