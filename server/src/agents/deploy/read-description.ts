import { z } from 'zod';

/** What the agent's code says about its calls. */
export interface Description {
  /** The JSON Schema of its input; null without one. */
  input_schema: Record<string, unknown> | null;
  keeps_threads: boolean;
  /** Without these fields it refuses a call. Null: it has not said so. */
  required_fields: string[] | null;
}

/** What the agent's code says that the service keeps for it. */
export interface KeptMemory {
  /** The service keeps its threads. */
  kept_by_service: boolean;
  /** Its code can ask for what the service keeps in each call, so each call is on record. */
  needs_run: boolean;
  /** By langgraph.json. Undefined in the record of a run that an earlier release began. */
  threads_kept_seconds?: number | null;
}

const schema = z.object({ input_schema: z.record(z.string(), z.unknown()) });
const threads = z.object({ keeps_threads: z.boolean() });
/** As long as a memory config can say. */
const most_kept_seconds = 315_360_000;
const kept = z.object({
  threads: z.string(),
  memory: z.object({
    needs_run: z.boolean(),
    // An image with a wrapper of an earlier release says nothing of it.
    threads_kept_seconds: z.int().min(1).max(most_kept_seconds).nullable().default(null),
  }),
});
const required = z.object({ required_fields: z.array(z.string().max(200)).max(1000) });

/** A schema written by a person has a hundredth of this size. */
export const max_description_bytes = 1024 * 1024;

/** From the answer of a container, whose code may answer anything. */
export function readDescription(ready: unknown): Description {
  const input_schema = schema.safeParse(ready).data?.input_schema ?? null;
  const isUsable = JSON.stringify(input_schema).length <= max_description_bytes;
  return {
    input_schema: isUsable ? input_schema : null,
    keeps_threads: threads.safeParse(ready).data?.keeps_threads ?? false,
    required_fields: required.safeParse(ready).data?.required_fields ?? null,
  };
}

/** As readDescription. */
export function readKeptMemory(ready: unknown): KeptMemory {
  const { data } = kept.safeParse(ready);
  return {
    kept_by_service: data?.threads === 'service',
    needs_run: data?.memory.needs_run ?? false,
    threads_kept_seconds: data?.memory.threads_kept_seconds ?? null,
  };
}
