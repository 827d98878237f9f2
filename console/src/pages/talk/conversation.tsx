// The messages of one conversation, what it waits for, and where one writes.
import type { TakenFiles } from '@gantry/contract/agents/files/taken-files.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Allowed } from '../../parts/action/action.tsx';
import { Button } from '../../parts/action/button.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Questions } from '../inbox/questions.tsx';
import { Composer } from './composer.tsx';
import type { Entry, Said } from './entries.ts';
import type { InputShape } from './input-shape.ts';
import { AnswerMessage, SaidMessage } from './message.tsx';
import { TurnMessages } from './turn-messages.tsx';
import type { Input } from './turn.ts';
import { saidIn, useConversation, type Conversation as Talk } from './use-conversation.ts';

interface ConversationProps {
  agent: string;
  thread: string | undefined;
  shape: InputShape;
  keeps_threads: boolean;
  example: Input;
  can: Allowed | undefined;
  files: TakenFiles | null;
  onThread: (thread: string, stays: boolean) => void;
}

export function Conversation(props: ConversationProps) {
  const { agent, thread, shape, keeps_threads, example, can, files } = props;
  const talk = useConversation(props);
  const { calls, shown, entries, isLoading } = talk;
  const answering = useMutation({ mutationFn: talk.answer });
  useFollowEnd([entries.length, calls.turns, shown.data?.state]);
  const isElsewhere = shown.data?.state === 'working' && !talk.isBusy;
  const isAsking = shown.data?.state === 'waiting' && !talk.isBusy;
  const isEmpty = entries.length === 0 && calls.turns.length === 0 && thread === undefined;
  const waits = isElsewhere
    ? 'It works on the last message.'
    : isAsking && !answering.isPending
      ? 'It waits for your answer above. A message starts anew.'
      : undefined;
  if (shown.error !== null && shown.data === undefined && thread !== undefined && !calls.isRunning)
    return (
      <div className="mx-auto w-full max-w-[800px] p-6">
        <Refusal error={shown.error} />
      </div>
    );
  return (
    <div className="mx-auto flex w-full max-w-[800px] min-w-0 flex-1 flex-col px-6 max-phone:px-4">
      <div role="log" aria-label="Conversation" className="flex flex-1 flex-col gap-4 py-5">
        {isEmpty && <Begin agent={agent} keeps_threads={keeps_threads} />}
        {isLoading && [1, 2, 3].map((each) => <div key={each} className="skeleton h-12" />)}
        {!isLoading && entries.map((entry) => <EntryOf key={entry.id} entry={entry} talk={talk} shape={shape} />)}
        {calls.turns.map((turn) => (
          <TurnMessages key={turn.id} turn={turn} said={saidIn(turn)} />
        ))}
        {isElsewhere && <p className="text-meta text-quiet">It works on it. The answer appears here.</p>}
        {answering.isPending && <p className="text-meta text-quiet">It goes on with your answer.</p>}
        {isAsking && shown.data !== undefined && (
          <Questions
            key={`${shown.data.latest?.checkpoint_id} ${shown.data.waiting_since}`}
            interrupts={shown.data.interrupts}
            onAnswer={(value) => answering.mutate(value)}
            isSending={answering.isPending}
            error={undefined}
          />
        )}
        {shown.data?.state === 'interrupted' && !talk.isBusy && <GoOn talk={talk} />}
        {talk.error !== undefined && <Refusal error={talk.error} />}
      </div>
      <div className="sticky bottom-0 bg-ground pb-4">
        <Composer
          shape={shape}
          example={example}
          can={can}
          files={files}
          isRunning={talk.isBusy}
          waits={isElsewhere ? waits : isLoading ? 'The conversation is being read.' : undefined}
          before={talk.said}
          onSend={talk.send}
          onStop={calls.stop}
        />
        {isAsking && <p className="mt-1 text-meta text-quiet">{waits}</p>}
      </div>
    </div>
  );
}

function Begin({ agent, keeps_threads }: { agent: string; keeps_threads: boolean }) {
  return (
    <Empty>
      {keeps_threads
        ? `Write to ${agent}. Your conversations are kept, and are yours alone.`
        : `Write to ${agent}. The service keeps no conversations of it: what you write here is gone when you leave.`}
    </Empty>
  );
}

function EntryOf({ entry, talk, shape }: { entry: Entry; talk: Talk; shape: InputShape }) {
  const { facts } = talk;
  // A conversation that is at work is not edited.
  const isStill = !talk.isBusy && talk.shown.data !== undefined && talk.shown.data.state !== 'working';
  if (entry.kind === 'answer')
    return (
      <AnswerMessage
        answer={entry}
        facts={facts[entry.id]}
        rated={talk.ratings.get(entry.id)}
        onFork={isStill ? () => void talk.fork(entry) : undefined}
        onRate={isStill ? async (rating) => await talk.rate(entry, rating) : undefined}
      />
    );
  const edited = (text: string) => inputFor(shape, entry, text);
  return (
    <SaidMessage
      said={entry}
      onEdit={isStill && edited('x') !== undefined ? (text) => void talk.edit(entry, edited(text) ?? {}) : undefined}
    />
  );
}

/** An input with another text. Undefined where the input is not one text: files would be lost. */
function inputFor({ line, isConversation }: InputShape, { input, files = [] }: Said, text: string): Input | undefined {
  if (line === undefined || files.length > 0) return undefined;
  if (isConversation) return { [line.name]: [{ role: 'user', content: text }] };
  return { ...input, [line.name]: text };
}

function GoOn({ talk: { shown, goOn } }: { talk: Talk }) {
  const steps = shown.data?.continues_at ?? [];
  return (
    <div className="flex flex-col items-start gap-2 rounded border border-line bg-waiting-soft px-3 py-2.5">
      <p>
        Its last run ended before its last step.
        {steps.length > 0 && ` It goes on with ${steps.join(', ')}, which may have run already.`}
      </p>
      <Button onClick={goOn}>Go on</Button>
    </div>
  );
}

const near_end_px = 160;

/** The end of the page stays in view while its reader is there. */
function useFollowEnd(changes: readonly unknown[]): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - window.innerHeight - window.scrollY < near_end_px;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the page shows
  }, changes);
}
