// Where one drops files and folders, or chooses them.
import { useRef, useState, type ChangeEvent, type DragEvent, type ReactNode } from 'react';
import { Button } from '../action/button.tsx';

interface DropZoneProps {
  /** Read aloud: what is dropped here. */
  label: string;
  says: string;
  about: string;
  isBusy: boolean;
  choices: readonly Choice[];
  /** Runs in the event itself, after which the browser forgets what was dropped. */
  onDrop: (dropped: DataTransfer) => void;
  onChoose: (files: File[]) => void;
}

interface Choice {
  /** Of the button. */
  label: string;
  /** Read aloud: what is chosen. */
  chooses: string;
  icon: ReactNode;
  of: 'a folder' | 'a file' | 'files';
  accept?: string;
}

export function DropZone({ label, says, about, isBusy, choices, onDrop, onChoose }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onDrop(event.dataTransfer);
  };
  return (
    <section
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`mb-6 flex flex-col items-center gap-3 rounded border border-dashed px-5 py-10 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-raised'}`}
    >
      <p className="text-section font-strong">{says}</p>
      <p className="max-w-prose text-quiet">{about}</p>
      <div className="flex flex-wrap justify-center gap-2">
        {choices.map((choice) => (
          <Chooser key={choice.label} {...choice} isBusy={isBusy} onChoose={onChoose} />
        ))}
      </div>
    </section>
  );
}

function Chooser({
  label,
  chooses,
  icon,
  of,
  accept,
  isBusy,
  onChoose,
}: Choice & Pick<DropZoneProps, 'isBusy' | 'onChoose'>) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(currentTarget.files ?? [])];
    // The same folder can be chosen again after a correction.
    currentTarget.value = '';
    if (files.length > 0) onChoose(files);
  };
  const open = (shown: HTMLInputElement | null) => {
    input.current = shown;
    // React does not know the property.
    if (shown !== null) shown.webkitdirectory = of === 'a folder';
  };
  return (
    <>
      <Button icon={icon} onClick={() => input.current?.click()} disabled={isBusy}>
        {label}
      </Button>
      <input
        ref={open}
        type="file"
        hidden
        multiple={of === 'files'}
        accept={accept}
        aria-label={chooses}
        onChange={choose}
      />
    </>
  );
}
