// The thumbs that the service has kept for the answers of one conversation, by the ids of the answers.
import type { RatedRun } from '@gantry/contract/agents/threads.ts';
import { useQueries } from '@tanstack/react-query';
import { ask } from '../../server.ts';
import type { Branch } from './branches.ts';
import { entriesOf, messagesIn } from './entries.ts';

/** A message does not know its run, so the last state of each such run is read. It does not change any more. */
export function useRatings({ agent, thread, field }: Branch, feedback: readonly RatedRun[]): Map<string, RatedRun> {
  const params = { name: agent, thread };
  const states = useQueries({
    queries: feedback.map(({ run_id }) => ({
      ...ask('threads.history', { params, query: { run_id, limit: 1 } }),
      queryKey: ['rated_run', agent, thread, run_id] as never,
      staleTime: Infinity,
      enabled: field !== undefined,
    })),
  });
  return new Map(
    feedback.flatMap((rated, index): [string, RatedRun][] => {
      if (field === undefined) return [[rated.run_id, rated]];
      const messages = messagesIn(states[index]?.data?.items[0]?.values ?? {}, field) ?? [];
      const answer = entriesOf(messages).findLast(({ kind }) => kind === 'answer');
      return answer === undefined ? [] : [[answer.id, rated]];
    }),
  );
}
