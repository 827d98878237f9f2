// The arguments of a call against the schema that a person has pinned.
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import { brokenPlace, compileSchema } from '../../models/guardrails/compile-schema.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';

type Check = ReturnType<typeof compileSchema>;

const compiled = new LRUCache<string, Check>({ max: 2000 });

/** Throws `arguments_refused`, also for a schema that cannot be read: nobody could say what it allows. */
export function checkArguments({ name, inputSchema }: ListedTool, given: Record<string, unknown>): void {
  const check = checkOf(name, inputSchema);
  if (check(given)) return;
  const { instancePath = '', message } = check.errors?.[0] ?? {};
  throw new Problem('arguments_refused', {
    detail: `${name}: ${instancePath === '' ? 'the arguments' : instancePath.slice(0, 200)} ${message ?? 'do not fit'} (${brokenPlace(check)}).`,
  });
}

function checkOf(name: string, schema: Record<string, unknown>): Check {
  const key = canonicalJson(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  try {
    const made = compileSchema(schema);
    compiled.set(key, made);
    return made;
  } catch (error) {
    throw new Problem('arguments_refused', {
      detail: `The schema of ${name} cannot be read, so no arguments can be checked.`,
      ...(error instanceof Error && { hint: `Ask the owner of the server: ${error.message.slice(0, 200)}` }),
    });
  }
}
