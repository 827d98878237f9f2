import { FileArchive, Folder } from 'lucide-react';
import { DropZone as Zone } from '../../parts/form/drop-zone.tsx';
import { readChosen, readDrop, type Dropped } from './dropped-files.ts';

interface DropZoneProps {
  onDrop: (read: () => Promise<Dropped>) => void;
  isReading: boolean;
  /** The project is here, and another state of its files takes its place. */
  isAgain?: boolean;
}

export function DropZone({ onDrop, isReading, isAgain = false }: DropZoneProps) {
  return (
    <Zone
      label="Drop a project"
      says={isReading ? 'Reading the project …' : `Drop ${isAgain ? 'the mended project' : 'a folder or a zip'} here`}
      about="It stays in this browser until you push it. Files such as .env, .git and installed packages are left out."
      isBusy={isReading}
      choices={[
        { label: 'Choose a folder', chooses: 'A folder', icon: <Folder size={14} aria-hidden />, of: 'a folder' },
        {
          label: 'Choose a zip',
          chooses: 'A zip',
          icon: <FileArchive size={14} aria-hidden />,
          of: 'a file',
          accept: '.zip',
        },
      ]}
      onDrop={(dropped) => onDrop(readDrop(dropped))}
      onChoose={(files) => onDrop(async () => await readChosen(files))}
    />
  );
}
