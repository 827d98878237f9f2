import { Button } from '../action/button.tsx';
import { Copy } from '../copy.tsx';
import { Dialog } from './dialog.tsx';
import type { ReactNode } from 'react';

interface ShownOnceProps {
  title: string;
  /** Absent: the dialog is closed. */
  value: string | undefined;
  /** For whom it is, and what it does. */
  children: ReactNode;
  onClose: () => void;
}

/** A value that the service tells once. */
export function ShownOnce({ title, value, children, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} isOpen={value !== undefined} onClose={onClose} staysOpen about={children}>
      <div className="mt-1 rounded border border-line bg-sunken px-3 py-2.5 font-mono break-all">
        <Copy text={value ?? ''} label="the value">
          <span className="whitespace-normal">{value}</span>
        </Copy>
      </div>
      <p className="mt-2 text-waiting">It is shown once, here. Copy it before you close this.</p>
      <div className="mt-4">
        <Button look="main" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
