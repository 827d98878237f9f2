// Messages as langchain's clients read them. A stored state has the short form `{role, content}`, which lacks nothing that a conversation needs.
import type { Json } from '../json.ts';

const types: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', system: 'system', tool: 'tool' };
/** Those of the short form, as the wrapper's encoder writes it. */
const known = new Set(['role', 'content', 'id', 'name', 'tool_call_id', 'tool_calls', 'usage']);

/** The same value, with each message in langchain's form. */
export function inLangchainForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLangchainForm);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Json;
  if (isMessage(members)) return messageOf(members);
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, inLangchainForm(one)]));
}

function isMessage(members: Json): boolean {
  return (
    typeof members['role'] === 'string' && 'content' in members && Object.keys(members).every((name) => known.has(name))
  );
}

function messageOf({ role, usage, ...said }: Json): Json {
  const type = types[String(role)] ?? String(role);
  const spoken = type === 'ai' && { tool_calls: [], invalid_tool_calls: [], usage_metadata: usage ?? null };
  return { additional_kwargs: {}, response_metadata: {}, name: null, id: null, ...spoken, ...said, type };
}
