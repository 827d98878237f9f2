import { plainName } from '@gantry/contract/agents/files/file-part.ts';
import { sizeOf } from '@gantry/contract/agents/files/taken-files.ts';
import { endsOf } from '@gantry/contract/agents/files/type-of-name.ts';
import { File as FileIcon, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../../../parts/action/button.tsx';
import { pictureOf } from './content-files.ts';
import type { Attached } from './use-attached.ts';

/** The files of the next message, each with a way to leave it out, and why others are not among them. */
export function AttachedFiles({ attached, onRemoved }: { attached: Attached; onRemoved: () => void }) {
  const { files, refusals, remove } = attached;
  return (
    <>
      {files.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-2 p-1">
          {files.map(({ id, name: given, bytes, media_type, base64 }) => {
            const name = plainName(given);
            const { picture } = pictureOf(media_type, base64);
            return (
              <li
                key={id}
                className="flex max-w-full min-w-0 items-center gap-2 rounded border border-line bg-ground py-0.5 pr-0.5 pl-2 text-meta"
              >
                {picture === undefined ? (
                  <FileIcon size={14} aria-hidden className="shrink-0 text-quiet" />
                ) : (
                  <img src={picture} alt="" className="size-8 shrink-0 rounded object-cover" />
                )}
                <span className="min-w-0 truncate">{name}</span>
                <span className="shrink-0 text-quiet">{sizeOf(bytes)}</span>
                <IconButton
                  label={`Remove ${name}`}
                  icon={<X size={14} />}
                  onClick={() => {
                    remove(id);
                    onRemoved();
                  }}
                />
              </li>
            );
          })}
        </ul>
      )}
      <div role="alert" className="px-2 text-meta text-failed">
        {refusals.map((refusal) => (
          <p key={refusal}>{refusal}</p>
        ))}
      </div>
      <span role="status" className="sr-only">
        {files.length > 0 && `Attached: ${files.map(({ name }) => plainName(name)).join(', ')}`}
      </span>
    </>
  );
}

export function AttachButton({ types, attached }: { types: readonly string[]; attached: Attached }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach files" icon={<Paperclip size={16} />} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        accept={[...types, ...endsOf(types)].join(',')}
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          // The same file can be chosen again.
          target.value = '';
          void attached.add(chosen);
        }}
      />
    </>
  );
}
