// The page to talk to an agent: the reader's conversations on the left, one of them beside. For people who use agents, not for those who make them.
import type { AgentInput } from '@gantry/contract/agents/invoke.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../parts/action/button.tsx';
import { Menu, MenuItem } from '../../parts/action/menu.tsx';
import { showReceipt } from '../../parts/action/receipt.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Empty } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { AgentState } from '../agents/agent-state.tsx';
import { Conversation } from './conversation.tsx';
import { inputShape } from './input-shape.ts';
import { ShareDialog } from './shares/share-dialog.tsx';
import { TalkFrame } from './talk-frame.tsx';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The conversation that goes on under another address. */
    conversation?: string;
  }
}

const route = getRouteApi('/talk/$agent/{-$thread}');

export function TalkPage() {
  const { agent, thread } = route.useParams();
  const input = useQuery(ask('invoke.input', { params: { name: agent } }));
  const keeps_threads = input.data?.keeps_threads === true;
  return (
    <TalkFrame agent={agent} hasList={keeps_threads} head={<Head agent={agent} thread={thread} />}>
      {input.error !== null && input.data === undefined ? (
        <div className="p-6">
          <Refusal error={input.error} />
        </div>
      ) : input.data === undefined ? (
        <div className="skeleton m-6 h-96" />
      ) : (
        <Talk agent={agent} thread={thread} input={input.data} />
      )}
    </TalkFrame>
  );
}

interface TalkOf {
  agent: string;
  thread: string | undefined;
}

function Talk({ agent, thread, input }: TalkOf & { input: AgentInput }) {
  const { input_schema, keeps_threads, files } = input;
  const status = useQuery(ask('agents.status', { params: { name: agent } }));
  const deploys = useQuery(ask('deployments.list', { query: { agent, limit: 20 } }));
  const navigate = useNavigate();
  const { state } = useLocation();
  const key = state.conversation ?? `${agent} ${thread ?? ''} ${state.__TSR_key ?? ''}`;
  if (status.data?.state === 'not_deployed')
    return (
      <div className="p-6">
        <Empty>It answers once a version of it is deployed.</Empty>
      </div>
    );
  // The example is the beginning of a form, so the form waits for it.
  if (status.isPending || deploys.isPending) return <div className="skeleton m-6 h-96" />;
  const example = deploys.data?.items.find(({ example_input }) => example_input !== null)?.example_input ?? {};
  return (
    <Conversation
      key={key}
      agent={agent}
      thread={thread}
      shape={inputShape(input_schema)}
      keeps_threads={keeps_threads}
      example={example}
      can={status.data?.can?.['invoke.call']}
      files={files}
      onThread={(next, stays) =>
        void navigate({
          to: '/talk/$agent/{-$thread}',
          params: { agent, thread: next },
          ...(stays && { replace: true, state: { conversation: key } }),
        })
      }
    />
  );
}

function Head({ agent, thread }: TalkOf) {
  const status = useQuery(ask('agents.status', { params: { name: agent } }));
  const org = useQuery(ask('org.show', {}));
  const most_days = org.data?.settings.share_threads_days;
  const [isSharing, setSharing] = useState(false);
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const remove = useSend('threads.delete', {
    changes: ['inbox'],
    says: () => `${agent} has forgotten the conversation`,
  });
  const copied = (what: string, text: string) =>
    void navigator.clipboard.writeText(text).then(() => showReceipt({ says: `${what} is copied`, entries: [] }));
  const svc = `svc invoke ${agent} '…'${thread === undefined ? '' : ` --thread ${thread}`} --stream`;
  return (
    <>
      {status.data !== undefined && <AgentState state={status.data.state} attention={status.data.attention} />}
      <div className="ml-auto flex items-center gap-1">
        <Link to="/agents/$name" params={{ name: agent }} className="px-2 text-meta text-quiet hover:text-accent">
          About it
        </Link>
        <Menu trigger={<IconButton label={`More about ${agent}`} icon={<Ellipsis size={16} />} />}>
          <MenuItem onPress={() => copied('The link', `${location.origin}/talk/${agent}`)}>
            Copy the link to this agent
          </MenuItem>
          <MenuItem svc={svc} onPress={() => copied(svc, svc)}>
            Copy the svc line
          </MenuItem>
          {thread !== undefined && (
            <MenuItem
              svc={`svc threads share ${agent} ${thread} --with …`}
              can={
                most_days === 0
                  ? { allowed: false, reason: 'The organisation lets nobody share conversations.' }
                  : undefined
              }
              onPress={() => setSharing(true)}
            >
              Share the conversation…
            </MenuItem>
          )}
          {thread !== undefined && (
            <MenuItem isDanger onPress={() => setDeleting(true)}>
              Delete the conversation…
            </MenuItem>
          )}
        </Menu>
      </div>
      {isSharing && thread !== undefined && most_days !== undefined && (
        <ShareDialog agent={agent} thread={thread} most_days={most_days} onClose={() => setSharing(false)} />
      )}
      {isDeleting && thread !== undefined && (
        <Confirm
          title="Delete the conversation"
          about="Its messages and all its steps are erased. This cannot be undone."
          send="Delete the conversation"
          sending={remove}
          onSend={() =>
            remove.mutate(
              { params: { name: agent, thread } },
              {
                onSuccess: () => {
                  setDeleting(false);
                  void navigate({ to: '/talk/$agent/{-$thread}', params: { agent, thread: undefined } });
                },
              },
            )
          }
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
