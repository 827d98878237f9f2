import { z } from 'zod';

const said = z.object({
  threads: z.enum(['none', 'memory', 'external', 'service']),
  threads_by: z.string().max(300).nullable().catch(null),
});

export interface ReadyThreads {
  /** Where the agent keeps something between calls. Several instances share what is `external` or at the `service`. */
  threads: 'none' | 'memory' | 'external' | 'service';
  /** The user's setting for it, as text for people: `checkpointer=InMemorySaver in agent.py`. */
  threads_by: string | null;
}

/** From an agent's /ready answer; undefined for any other answer. It may be hostile, like readyNotices' input. */
export function readyThreads(ready: object): ReadyThreads | undefined {
  const { data } = said.safeParse(ready);
  return data && { ...data, threads_by: data.threads_by?.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ') ?? null };
}
