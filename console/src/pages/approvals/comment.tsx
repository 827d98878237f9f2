import type { ApprovalDetail, Comment } from '@gantry/contract/agents/approvals.ts';
import { useEffect, useRef } from 'react';
import { Form, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';

/** One comment. `place` names its line, where it does not stand beside it. */
export function Said({ comment: { author, message, created_at }, place }: { comment: Comment; place?: string }) {
  return (
    <article>
      <p className="text-meta text-quiet">
        <span className="font-strong text-text">{author}</span> <When at={created_at} />
        {place !== undefined && (
          <>
            {' '}
            on <span className="font-mono break-all">{place}</span>
          </>
        )}
      </p>
      <p className="break-words whitespace-pre-wrap">{message}</p>
    </article>
  );
}

interface CommentFormProps {
  request: ApprovalDetail;
  /** The line that it is about; absent: the whole request. */
  place?: { file: string; line: number };
  onDone: () => void;
}

export function CommentForm({ request: { id, asset, asset_version }, place, onDone }: CommentFormProps) {
  const sending = useSend('approvals.comment', {
    says: () => `Your comment is on ${asset} ${asset_version}, permanently`,
  });
  const text = useRef<HTMLTextAreaElement>(null);
  const isOnLine = place !== undefined;
  useEffect(() => {
    // The editor puts the form below its line after this effect.
    const frame = isOnLine ? requestAnimationFrame(() => text.current?.focus()) : 0;
    return () => cancelAnimationFrame(frame);
  }, [isOnLine]);
  return (
    <Form
      send="Comment"
      look="plain"
      error={sending.error}
      isSending={sending.isPending}
      onSend={({ message = '' }) =>
        sending.mutate({ params: { id }, body: { message, ...place } }, { onSuccess: onDone })
      }
      {...(place !== undefined && { onCancel: onDone })}
    >
      <TextArea
        name="message"
        label={place === undefined ? 'Add a comment' : `Comment on line ${place.line}`}
        ref={text}
        required
        maxLength={4000}
        rows={3}
      />
    </Form>
  );
}
