import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { saveFile } from '../../parts/browser/save-file.ts';
import { useSend } from '../../parts/action/use-send.ts';

/** A file that proves to others that the entry is in the signed log. */
export function ProofAction({ chain, seq }: { chain: string; seq: string }) {
  const prove = useSend('audit.prove');
  const save = () =>
    prove.mutate(
      { params: { chain: chain === 'signin' ? 'signin' : 'governance', seq: Number(seq) } },
      {
        onSuccess: ({ answer }) =>
          saveFile(`proof-${chain}-${seq}.json`, new Blob([JSON.stringify(answer)], { type: 'application/json' })),
      },
    );
  return (
    <>
      <Action
        can={useMe()?.can['audit.prove']}
        svc={`svc audit prove ${chain}/${seq} > proof.json`}
        isBusy={prove.isPending}
        onPress={save}
      >
        Proof
      </Action>
      {prove.error !== null && <Refusal error={prove.error} />}
    </>
  );
}
