// A thumb for an answer, and the reason. It is kept with the trace of the run, for those who look after the agent.
import type { RatedRun } from '@gantry/contract/agents/threads.ts';
import { useMutation } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../parts/action/button.tsx';
import { Refusal } from '../../parts/refusal.tsx';

export type Given = Pick<RatedRun, 'is_good' | 'reason'>;

export type Rate = (rating: { is_good: boolean | null; reason: string }) => Promise<void>;

/** `given`: what the service has kept of an earlier thumb. */
export function Rating({ given, onRate }: { given: Given | undefined; onRate: Rate }) {
  // Undefined: nothing was pressed on this page.
  const [pressed, setGood] = useState<boolean | null>();
  const is_good = pressed === undefined ? (given?.is_good ?? null) : pressed;
  const [isSaying, setSaying] = useState(false);
  const rating = useMutation({ mutationFn: onRate });
  const press = (thumb: boolean) => {
    const next = is_good === thumb ? null : thumb;
    setGood(next);
    setSaying(next !== null);
    rating.mutate({ is_good: next, reason: '' });
  };
  return (
    <>
      <IconButton
        label="Good answer"
        aria-pressed={is_good === true}
        icon={<ThumbsUp size={13} className={is_good === true ? 'fill-current' : ''} />}
        onClick={() => press(true)}
      />
      <IconButton
        label="Bad answer"
        aria-pressed={is_good === false}
        icon={<ThumbsDown size={13} className={is_good === false ? 'fill-current' : ''} />}
        onClick={() => press(false)}
      />
      {isSaying && (
        <Reason
          onSay={(reason) => {
            setSaying(false);
            rating.mutate({ is_good, reason });
          }}
          onClose={() => setSaying(false)}
        />
      )}
      {pressed === undefined && given !== undefined && given.reason !== '' && (
        <span className="max-w-full truncate">“{given.reason}”</span>
      )}
      {rating.error !== null ? (
        <div className="basis-full">
          <Refusal error={rating.error} />
        </div>
      ) : (
        <span role="status">{rating.isSuccess && is_good !== null && !isSaying && 'Thank you.'}</span>
      )}
    </>
  );
}

function Reason({ onSay, onClose }: { onSay: (reason: string) => void; onClose: () => void }) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="flex basis-full items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') onSay(reason);
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <input
        aria-label="Why, if you like"
        placeholder="Why, if you like"
        maxLength={2000}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        className="field placeholder:text-quiet"
      />
      <Button type="submit" disabled={reason.trim() === ''} focusableWhenDisabled>
        Send
      </Button>
    </form>
  );
}
