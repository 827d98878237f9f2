import { useQuery } from '@tanstack/react-query';
import { ask } from '../../../server.ts';

const live_ms = 600;
// The cost of a call is written soon after its end.
const settled_after_ms = 12_000;
const settling_ms = 3000;

/** Read again while it runs. */
export function useRun(name: string, run_id: string | undefined) {
  return useQuery({
    ...ask('orchestrate.run', { params: { name, run_id: run_id ?? '' } }),
    enabled: run_id !== undefined,
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      if (data.ended_at === null) return data.state === 'waiting' ? settling_ms : live_ms;
      return Date.now() - Date.parse(data.ended_at) < settled_after_ms && settling_ms;
    },
  });
}
