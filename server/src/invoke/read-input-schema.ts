import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';

const ready = z.object({ input_schema: z.record(z.string(), z.unknown()) });

/** Parsing more would delay all callers. A schema written by a person has a hundredth of this size. */
const max_bytes = 1024 * 1024;

/**
 * Reads the schema from the agent's description; null without one. The agent's code may answer anything.
 * Throws `agent_error` when the answer is too large.
 */
export function readInputSchema(ref: string, body: Buffer): Record<string, unknown> | null {
  if (body.length > max_bytes)
    throw new Problem('agent_error', {
      detail: `The input schema of ${ref} is larger than ${max_bytes / 1024 ** 2} MB.`,
    });
  return ready.safeParse(readJson(body)).data?.input_schema ?? null;
}

function readJson(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString());
    // A value that is nested too deeply to be serialised cannot be sent to the caller.
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}
