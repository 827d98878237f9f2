import { FileArchive, Folder } from 'lucide-react';
import { useRef, useState, type ChangeEvent, type DragEvent, type RefObject } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { readChosen, readDrop, type Dropped } from './dropped-files.ts';

interface DropZoneProps {
  onDrop: (read: () => Promise<Dropped>) => void;
  isReading: boolean;
  /** The project is here, and another state of its files takes its place. */
  isAgain?: boolean;
}

export function DropZone({ onDrop, isReading, isAgain = false }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const zip = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onDrop(readDrop(event.dataTransfer));
  };
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(currentTarget.files ?? [])];
    // The same folder can be chosen again after a correction.
    currentTarget.value = '';
    if (files.length > 0) onDrop(async () => await readChosen(files));
  };
  return (
    <section
      aria-label="Drop a project"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`mb-6 flex flex-col items-center gap-3 rounded border border-dashed px-5 py-10 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-raised'}`}
    >
      <p className="text-section font-strong">
        {isReading ? 'Reading the project …' : `Drop ${isAgain ? 'the mended project' : 'a folder or a zip'} here`}
      </p>
      <p className="max-w-prose text-quiet">
        It stays in this browser until you push it. Files such as .env, .git and installed packages are left out.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button icon={<Folder size={14} aria-hidden />} onClick={() => folder.current?.click()} disabled={isReading}>
          Choose a folder
        </Button>
        <Button icon={<FileArchive size={14} aria-hidden />} onClick={() => zip.current?.click()} disabled={isReading}>
          Choose a zip
        </Button>
      </div>
      <input ref={ofFolders(folder)} type="file" hidden aria-label="A folder" onChange={choose} />
      <input ref={zip} type="file" accept=".zip" hidden aria-label="A zip" onChange={choose} />
    </section>
  );
}

/** React does not know the property. */
const ofFolders = (folder: RefObject<HTMLInputElement | null>) => (input: HTMLInputElement | null) => {
  folder.current = input;
  if (input !== null) input.webkitdirectory = true;
};
