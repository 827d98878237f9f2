import { Problem } from '@gantry/contract/problems.ts';
import { Button } from '../../parts/action/button.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { filesOfInput } from './entries.ts';
import { AnswerMessage, SaidMessage } from './message.tsx';
import type { Turn } from './turn.ts';

/** A call of this page, until the stored conversation has it. */
export function TurnMessages({
  turn,
  said,
  onRetry,
}: {
  turn: Turn;
  said: string;
  onRetry?: (() => void) | undefined;
}) {
  const { input, state, parts, steps, output, error } = turn;
  const isRunning = state === 'running';
  const open = steps.findLast(({ isOver }) => !isOver);
  const hasText = parts.some(({ kind }) => kind === 'text');
  return (
    <>
      {input !== undefined && <SaidMessage said={{ text: said, files: filesOfInput(input), input }} />}
      <AnswerMessage answer={{ parts, output: hasText ? undefined : output }} facts={turn} isRunning={isRunning}>
        {isRunning && (
          <p className="flex items-center gap-2 text-meta text-quiet">
            <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
            {open === undefined ? 'Working' : `Working: ${open.name}`}
          </p>
        )}
        {state === 'cancelled' && <p className="text-meta text-stopped">Stopped.</p>}
        {error !== undefined && (
          <div className="flex flex-col items-start gap-2">
            {isBlocked(error) && <p className="text-meta text-quiet">The message was blocked.</p>}
            <Refusal error={error} />
            {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
          </div>
        )}
      </AnswerMessage>
    </>
  );
}

const isBlocked = (error: unknown) => error instanceof Problem && error.code === 'guardrail_blocked';
