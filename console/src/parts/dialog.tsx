import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  about?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  /** 30rem unless told. */
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ title, about, isOpen, onClose, wide = false, children }: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="eases fixed inset-0 z-40 bg-[rgb(0_0_0/0.35)] data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Popup
          initialFocus={() => content.current?.querySelector<HTMLElement>('input, textarea, select') ?? true}
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
          <div ref={content} className="overflow-y-auto px-5 pt-3 pb-5">
            {children}
          </div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
