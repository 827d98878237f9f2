// A request of Gemini's clients in one spelling, with the model of its path. Google reads each member in camelCase and in snake_case, so a
// second spelling could pass a limit unseen.
import { invalid, isJson, type Json } from './wire.ts';

/** Throws `invalid` for a member in two spellings, and for a body that names another model than the path. */
export function geminiBody(sent: Json, model: string): Json {
  const { model: named, ...body } = inCamelCase(sent, []);
  requireModel(named, model, ['model']);
  return { ...body, model };
}

export function requireModel(named: unknown, model: string, path: string[]): void {
  if (named === undefined || named === null || named === model || named === `models/${model}`) return;
  throw invalid([{ path, message: `names another model than the path, which names ${JSON.stringify(model)}` }]);
}

/** Below these members all names are the caller's own. */
const free = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
  'partMetadata',
]);

function inCamelCase(members: Json, path: string[]): Json {
  const read: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(members)) {
    const name = written.replace(/(?<=[a-zA-Z])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (Object.hasOwn(read, name)) throw invalid([{ path: [...path, written], message: 'is given in two spellings' }]);
    read[name] = free.has(name) ? value : valueInCamelCase(value, [...path, written]);
  }
  return read;
}

function valueInCamelCase(value: unknown, path: string[]): unknown {
  if (Array.isArray(value)) return value.map((one, index) => valueInCamelCase(one, [...path, String(index)]));
  return isJson(value) ? inCamelCase(value, path) : value;
}
