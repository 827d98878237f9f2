// The owner of a conversation lets others read it, sees who may, and takes it back.
import { default_share_days, type ThreadShare } from '@gantry/contract/agents/thread-shares.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { isEmail, parsePrincipal, printGrantee } from '@gantry/contract/refs.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../parts/action/button.tsx';
import { useSend } from '../../../parts/action/use-send.ts';
import { When } from '../../../parts/figures/when.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { Field, Form } from '../../../parts/form/form.tsx';
import { pagesOf } from '../../../parts/list/list.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { askList, send } from '../../../server.ts';

interface ShareDialogProps {
  agent: string;
  thread: string;
  /** A share lasts no longer. */
  most_days: number;
  onClose: () => void;
}

export function ShareDialog({ agent, thread, most_days, onClose }: ShareDialogProps) {
  const params = { name: agent, thread };
  const [who, setWho] = useState('');
  const [fault, setFault] = useState<Problem>();
  // After a share the form begins anew, without the fault of an empty field.
  const [made, setMade] = useState(0);
  const ref = parsePrincipal(isEmail(who) ? `user:${who}` : who);
  const reader =
    ref?.kind === 'user' || ref?.kind === 'team' ? { principal_type: ref.kind, principal_id: ref.name } : undefined;
  const share = useSend('threads.share', {
    says: (made) => `${printGrantee(made)} may read the conversation`,
    undo: async ({ id }) => await send('threads.unshare', { params: { ...params, share: id } }),
  });
  return (
    <Dialog
      title="Share the conversation"
      about="They read all of it, also what is added later, until the share ends. They cannot write. Each look is in the audit log."
      isOpen
      onClose={onClose}
    >
      <Form
        key={made}
        send={reader === undefined ? 'Share' : `Share with ${who}`}
        error={fault ?? share.error}
        isSending={share.isPending}
        onSend={({ days }) => {
          setFault(reader === undefined ? noReader(who) : undefined);
          if (reader === undefined) return;
          const onSuccess = () => {
            setWho('');
            setMade(made + 1);
          };
          share.mutate({ params, body: { ...reader, days: Number(days) } }, { onSuccess });
        }}
      >
        <Field
          name="principal_id"
          label="With"
          required
          value={who}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- its owner has just shared from here
          autoFocus={made > 0}
          placeholder="ada@example.com"
          help={`An e-mail address of somebody who may use ${agent}, or team:<name>.`}
          onChange={(event) => setWho(event.target.value.trim())}
        />
        <Field
          name="days"
          label="Days"
          required
          type="number"
          min={1}
          max={most_days}
          defaultValue={Math.min(default_share_days, most_days)}
          help={`It ends after them. At most ${most_days}.`}
        />
      </Form>
      <Shares agent={agent} thread={thread} />
    </Dialog>
  );
}

function noReader(who: string): Problem {
  const message = `"${who}" is neither an e-mail address nor team:<name>.`;
  return new Problem('invalid', { detail: message, errors: [{ pointer: '/principal_id', message }] });
}

function Shares({ agent, thread }: { agent: string; thread: string }) {
  const params = { name: agent, thread };
  const shares = useInfiniteQuery(askList('threads.shares', { params, query: {} }));
  const { rows, error, more } = pagesOf(shares);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button that took a share back is gone with its line.
    if (document.activeElement === document.body) heading.current?.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- when a line has gone
  }, [rows?.length]);
  return (
    <section aria-label="Who may read it" className="mt-5 flex flex-col gap-1 border-t border-line pt-3">
      <h3 ref={heading} tabIndex={-1} className="font-strong">
        Who may read it
      </h3>
      {error !== null && error !== undefined && <Refusal error={error} />}
      {rows?.length === 0 && <p className="text-meta text-quiet">Only you.</p>}
      <ul className="flex flex-col">
        {rows?.map((share) => (
          <Line key={share.id} agent={agent} thread={thread} share={share} />
        ))}
      </ul>
      {more !== undefined && (
        <Button look="quiet" onClick={more}>
          More
        </Button>
      )}
    </section>
  );
}

function Line({ agent, thread, share }: { agent: string; thread: string; share: ThreadShare }) {
  const { id, ends_at } = share;
  const who = printGrantee(share);
  const unshare = useSend('threads.unshare', { says: () => `${who} may no longer read the conversation` });
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-2">
      <span className="min-w-0 truncate">{who}</span>
      <span className="text-meta text-quiet">
        ends <When at={ends_at} />
      </span>
      <span className="ml-auto">
        <Button
          look="quiet"
          disabled={unshare.isPending}
          focusableWhenDisabled
          aria-label={`Take back the share with ${who}`}
          onClick={() => unshare.mutate({ params: { name: agent, thread, share: id } })}
        >
          Take back
        </Button>
      </span>
      {unshare.error !== null && (
        <div className="basis-full">
          <Refusal error={unshare.error} />
        </div>
      )}
    </li>
  );
}
