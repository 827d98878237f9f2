// A conversation of somebody else that is shared with the reader. It is read once: each look is in the audit log.
import type { SharedThreadDetail } from '@gantry/contract/agents/thread-shares.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { When } from '../../../parts/figures/when.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { ask } from '../../../server.ts';
import { entriesOf, messagesIn, runsOf, type Entry } from '../entries.ts';
import { inputShape, type InputShape } from '../input-shape.ts';
import { AnswerMessage, SaidMessage } from '../message.tsx';
import { TalkFrame } from '../talk-frame.tsx';

const route = getRouteApi('/talk/$agent/shared/$share');

export function SharedTalkPage() {
  const { agent, share } = route.useParams();
  const input = useQuery(ask('invoke.input', { params: { name: agent } }));
  // An agent that does not run says nothing of its input. Its messages are shown all the same.
  const shape = inputShape(input.data?.input_schema);
  const query = { history: shape.isConversation ? 'false' : 'true' };
  const shown = useQuery({
    ...ask('threads.look_shared', { params: { name: agent, share }, query }),
    enabled: !input.isPending,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const of = shown.data;
  return (
    <TalkFrame
      agent={agent}
      hasList
      head={
        of !== undefined && (
          <p className="min-w-0 truncate text-meta text-quiet">
            of {of.owner}, shared with {of.share.with.replace(/^user:.*/, 'you')}, ends <When at={of.share.ends_at} />
          </p>
        )
      }
    >
      <div className="mx-auto flex w-full max-w-[800px] min-w-0 flex-1 flex-col px-6 max-phone:px-4">
        <div role="log" aria-label="Conversation" className="flex flex-1 flex-col gap-4 py-5">
          {shown.error !== null && of === undefined && <Refusal error={shown.error} />}
          {shown.isPending && [1, 2, 3].map((each) => <div key={each} className="skeleton h-12" />)}
          {of !== undefined && entriesIn(of, shape).map((entry) => <EntryOf key={entry.id} entry={entry} />)}
          {of?.state === 'working' && <p className="text-meta text-quiet">The agent works on it.</p>}
          {of?.state === 'waiting' && <p className="text-meta text-waiting">It waits for an answer of {of.owner}.</p>}
        </div>
        {of !== undefined && (
          <p className="sticky bottom-0 border-t border-line bg-ground py-3 text-meta text-quiet">
            You read a conversation of {of.owner}, as it was a moment ago. You cannot write here, and this look is in
            the audit log.
          </p>
        )}
      </div>
    </TalkFrame>
  );
}

function entriesIn({ latest, history }: SharedThreadDetail, shape: InputShape): Entry[] {
  const messages = messagesIn(latest?.values ?? {}, shape.isConversation ? shape.line?.name : 'messages');
  if (messages !== undefined) return entriesOf(messages);
  const fields = shape.fields.map(({ name }) => name);
  return runsOf(history ?? [], fields);
}

function EntryOf({ entry }: { entry: Entry }) {
  return entry.kind === 'answer' ? <AnswerMessage answer={entry} /> : <SaidMessage said={entry} />;
}
