import { sizeOf } from '@gantry/contract/agents/files/taken-files.ts';
import { File as FileIcon } from 'lucide-react';
import type { MessageFile } from './content-files.ts';

/** Each by its name and size; a picture from the data in the message. */
export function MessageFiles({ files }: { files: readonly MessageFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files" className="flex max-w-full flex-col gap-2">
      {files.map(({ name, bytes, picture }, index) => (
        <li key={index} className="flex max-w-full flex-col gap-1">
          {picture !== undefined && (
            <img src={picture} alt={name} className="max-h-60 max-w-full self-start rounded border border-line" />
          )}
          <span className="flex min-w-0 items-center gap-1.5 text-meta text-quiet">
            <FileIcon size={13} aria-hidden className="shrink-0" />
            <span className="truncate">{name}</span>
            <span className="shrink-0">{bytes === undefined ? 'is elsewhere, and not loaded' : sizeOf(bytes)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
