import { Problem } from '@gantry/contract/problems.ts';
import { max_description_bytes, readDescription, type Description } from '../deploy/read-description.ts';

/** Parsing more would delay all callers. Throws `agent_error` when the answer is too large. */
export function parseDescription(ref: string, body: Buffer): Description {
  if (body.length > max_description_bytes)
    throw new Problem('agent_error', {
      detail: `The input schema of ${ref} is larger than ${max_description_bytes / 1024 ** 2} MB.`,
    });
  return readDescription(readJson(body));
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
