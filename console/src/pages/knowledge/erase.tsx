// A document leaves every snapshot, and who did it gets a receipt.
import type { ErasedDocument } from '@gantry/contract/agents/knowledge.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { Digest } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { shellWord } from '../../parts/shell-word.ts';

export function Erase({ name, path, can }: { name: string; path: string; can: Allowed | undefined }) {
  const navigate = useNavigate();
  const erase = useSend('knowledge.erase', { says: () => `${path} is erased from ${name}` });
  const [isAsking, setAsking] = useState(false);
  const receipt = erase.data?.answer;
  return (
    <>
      <Action can={can} svc={`svc kb erase ${name} ${shellWord(path)}`} look="danger" onPress={() => setAsking(true)}>
        Erase…
      </Action>
      {isAsking && (
        <Confirm
          title={`Erase ${path}`}
          about="It leaves every snapshot, with its text, its chunks and its vectors. A refresh does not bring the same content back."
          name={path}
          send="Erase it"
          sending={erase}
          onClose={() => setAsking(false)}
          onSend={() => erase.mutate({ params: { name }, body: { path } }, { onSuccess: () => setAsking(false) })}
        />
      )}
      {receipt !== undefined && (
        <Receipt receipt={receipt} onClose={() => void navigate({ to: '/knowledge/$name', params: { name } })} />
      )}
    </>
  );
}

function Receipt({
  receipt: { path, snapshots, contents, path_digest },
  onClose,
}: {
  receipt: ErasedDocument;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={`${path} is erased`}
      about="The log has these digests, and no name."
      isOpen
      staysOpen
      onClose={onClose}
    >
      <div className="px-5 py-4">
        <Facts
          facts={[
            ['Snapshots', snapshots.join(', ') || 'none'],
            ['Contents', contents.map((one) => <Digest key={one} digest={one} />)],
            ['Of the path', <Digest key="path" digest={path_digest} />],
          ]}
        />
      </div>
    </Dialog>
  );
}
