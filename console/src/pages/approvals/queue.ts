// The requests that wait for the reader, in the order of the queue. `j` and `k` move in it.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ask } from '../../server.ts';

export interface Queue {
  /** The place of this request, from 1; 0 when it does not wait for the reader. */
  place: number;
  length: number;
  next: string | undefined;
  previous: string | undefined;
  open: (id: string | undefined) => void;
}

export function useQueue(id: string): Queue {
  const navigate = useNavigate();
  const waiting = useQuery({
    ...ask('approvals.list', { query: { status: 'waiting', limit: 200 } }),
    placeholderData: (before) => before,
  });
  const ids = (waiting.data?.items ?? []).map((request) => request.id);
  const at = ids.indexOf(id);
  return {
    place: at + 1,
    length: ids.length,
    next: ids[at + 1] ?? ids.find((each) => each !== id),
    previous: at > 0 ? ids[at - 1] : ids.findLast((each) => each !== id),
    open: (id) => id !== undefined && void navigate({ to: '/approvals/$id', params: { id }, search: {} }),
  };
}
