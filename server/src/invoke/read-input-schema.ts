import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';

const ready = z.object({ input_schema: z.record(z.string(), z.unknown()) });

/** More would hold up everybody while it is read; a schema that a person wrote has a hundredth of it. */
const max_bytes = 1024 * 1024;

/** Of what the agent said of itself; null when it says none. An agent's code may answer anything. Throws `agent_error` for one that is too large. */
export function readInputSchema(ref: string, body: Buffer): Record<string, unknown> | null {
  if (body.length > max_bytes)
    throw new Problem('agent_error', {
      detail: `What ${ref} says of its input is larger than ${max_bytes / 1024 ** 2} MB.`,
    });
  return ready.safeParse(readJson(body)).data?.input_schema ?? null;
}

function readJson(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString());
    // What is nested too deeply to be printed again could not be answered either.
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}
