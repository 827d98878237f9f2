import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { IconButton } from '../action/button.tsx';

const fields = 'input, select, textarea';

interface DialogProps {
  title: string;
  about?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  /** 30rem unless told. */
  wide?: boolean;
  /** A press beside it leaves it open: what it shows is not shown again. */
  staysOpen?: boolean;
  children: ReactNode;
}

export function Dialog({ title, about, isOpen, onClose, wide = false, staysOpen = false, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={isOpen} disablePointerDismissal={staysOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="eases fixed inset-0 z-40 bg-[rgb(0_0_0/0.35)] data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Popup
          ref={popup}
          // The close button comes first.
          initialFocus={() => popup.current?.querySelector<HTMLElement>(fields) ?? true}
          className={`eases fixed top-[12vh] left-1/2 z-40 flex max-h-[80vh] w-full max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded border border-line bg-raised shadow-float data-ending-style:opacity-0 data-starting-style:opacity-0 ${wide ? 'phone:w-[56rem]' : 'phone:w-[30rem]'}`}
        >
          <div className="flex items-start gap-2 px-5 pt-4">
            <BaseDialog.Title className="flex-1 text-section leading-8">{title}</BaseDialog.Title>
            <BaseDialog.Close render={<IconButton label="Close" icon={<X size={16} />} />} />
          </div>
          {about !== undefined && (
            <BaseDialog.Description className="px-5 text-quiet" render={<div />}>
              {about}
            </BaseDialog.Description>
          )}
          <div className="overflow-y-auto px-5 pt-3 pb-5">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
