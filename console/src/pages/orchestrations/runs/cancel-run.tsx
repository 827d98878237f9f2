import { Action } from '../../../parts/action/action.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { useSend } from '../../../parts/action/use-send.ts';

/** With the calls of its members. */
export function CancelRun({ name, run_id }: { name: string; run_id: string | undefined }) {
  const cancel = useSend('orchestrate.cancel');
  return (
    <>
      <Action
        can={run_id === undefined ? undefined : { allowed: true }}
        svc={`svc orchestration cancel ${name} ${run_id ?? '<run>'}`}
        isBusy={cancel.isPending || cancel.isSuccess}
        onPress={() => run_id !== undefined && cancel.mutate({ params: { name, run_id } })}
      >
        Cancel the run
      </Action>
      <Dialog title="The run was not cancelled" isOpen={cancel.error !== null} onClose={() => cancel.reset()}>
        <Refusal error={cancel.error} />
      </Dialog>
    </>
  );
}
