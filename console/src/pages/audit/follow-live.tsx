import type { Send } from '@gantry/contract/client/client.ts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { refresh, send } from '../../server.ts';

const retry_ms = 2000;

/** New entries come to the list as they are written, sign-ins and refusals too. */
export function FollowLive({ filter }: { filter: NonNullable<Send<'audit.follow'>['query']> & { until?: string } }) {
  const { follow } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isFollowing = follow !== undefined;
  const asked = JSON.stringify({ ...filter, until: undefined });
  useEffect(() => {
    if (!isFollowing) return undefined;
    const left = new AbortController();
    void followEntries(JSON.parse(asked) as typeof filter, left.signal);
    return () => left.abort();
  }, [isFollowing, asked]);
  return (
    <Button
      aria-pressed={isFollowing}
      icon={<Radio size={14} className={isFollowing ? 'text-good' : ''} />}
      onClick={() =>
        void navigate({ to: '/audit', search: (before) => ({ ...before, follow: isFollowing ? undefined : 'yes' }) })
      }
    >
      {isFollowing ? 'Following' : 'Follow'}
    </Button>
  );
}

async function followEntries(query: Send<'audit.follow'>['query'], signal: AbortSignal): Promise<void> {
  let last_event_id: string | undefined;
  while (!signal.aborted) {
    try {
      const { answer } = await send(
        'audit.follow',
        { query },
        { signal, ...(last_event_id !== undefined && { last_event_id }) },
      );
      for await (const { id, data } of answer) {
        last_event_id = id ?? last_event_id;
        if (data.entry !== null) refresh(['audit']);
      }
    } catch {
      // The list itself shows why the log cannot be read.
    }
    await new Promise((resolve) => setTimeout(resolve, retry_ms));
  }
}
