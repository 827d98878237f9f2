// After a governed change: what is now true, its audit number, and its undo where one exists.
import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { Button, IconButton } from './button.tsx';
import { Copy } from '../copy.tsx';
import { Refusal } from '../refusal.tsx';

export interface Receipt {
  /** What is now true, as a sentence without its full stop: `ops may use agents/greeter`. */
  says: string;
  /** Such as `governance/17`. */
  entries: readonly string[];
  undo?: (() => Promise<unknown>) | undefined;
}

const shown_ms = 10_000;
const toasts = Toast.createToastManager<Receipt & { error?: unknown }>();

export function showReceipt(receipt: Receipt): void {
  toasts.add({ title: receipt.says, data: receipt, timeout: shown_ms });
}

function showFailedUndo(says: string, error: unknown): void {
  toasts.add({ title: `Not undone: ${says}`, data: { says, entries: [], error }, timeout: 0 });
}

export function Receipts() {
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts: shown } = Toast.useToastManager<NonNullable<Parameters<typeof toasts.add>[0]['data']>>();
  return shown.map((toast) => {
    const { says = '', entries = [], undo, error } = toast.data ?? {};
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        className="eases rounded border border-line bg-raised p-3 shadow-float data-ending-style:opacity-0 data-starting-style:opacity-0"
      >
        <Toast.Content className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Toast.Title className="font-strong break-words" />
            {entries.map((entry) => (
              <p key={entry} className="font-mono text-meta text-quiet">
                <Copy text={entry}>audit {entry}</Copy>
              </p>
            ))}
            {error !== undefined && <Refusal error={error} />}
          </div>
          {undo !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                toasts.close(toast.id);
                undo().catch((refused: unknown) => showFailedUndo(says, refused));
              }}
            >
              Undo
            </Button>
          )}
          <Toast.Close render={<IconButton label="Close" icon={<X size={14} />} />} />
        </Toast.Content>
      </Toast.Root>
    );
  });
}
