// The files of the next message. What the agent does not take is refused before it is sent, in the words of the service.
import { readFilePart } from '@gantry/contract/agents/files/file-part.ts';
import { printFilePart, type NamedFile } from '@gantry/contract/agents/files/print-file-part.ts';
import {
  typesOf,
  whyNotOffered,
  whyNotTaken,
  whyTooMuch,
  type TakenFiles,
} from '@gantry/contract/agents/files/taken-files.ts';
import { typeOfName } from '@gantry/contract/agents/files/type-of-name.ts';
import { plainType } from '@gantry/contract/agents/files/media-types.ts';
import { useEffect, useRef, useState } from 'react';

interface AttachedFile extends NamedFile {
  id: string;
  name: string;
  bytes: number;
}

export interface Attached {
  files: readonly AttachedFile[];
  /** Of the last files that were chosen. */
  refusals: readonly string[];
  add: (chosen: Iterable<File>) => Promise<void>;
  remove: (id: string) => void;
  clear: () => void;
}

/** Null: the agent takes none. */
export function useAttached(taken: TakenFiles | null): Attached {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  // Others may have come while these were read.
  const now = useRef(files);
  const put = (next: readonly AttachedFile[], refused: readonly string[]) => {
    now.current = next;
    setFiles(next);
    setRefusals(refused);
  };
  const add = async (chosen: Iterable<File>) => {
    if (taken === null) return;
    const read = await Promise.all([...chosen].map(async (file) => await readFile(file, taken)));
    const refused = read.filter((one) => typeof one === 'string');
    const all = [...now.current];
    for (const file of read.filter((one) => typeof one !== 'string')) {
      const sizes = [...all, file].map(({ bytes }) => bytes);
      const tooMuch = whyTooMuch(sizes, taken);
      if (tooMuch === undefined) all.push(file);
      else refused.push(tooMuch);
    }
    put(all, [...new Set(refused)]);
  };
  return {
    files,
    refusals,
    add,
    remove: (gone) =>
      put(
        now.current.filter(({ id }) => id !== gone),
        [],
      ),
    clear: () => put([], []),
  };
}

/** The refusal, for a file that the agent does not take. */
async function readFile(file: File, taken: TakenFiles): Promise<AttachedFile | string> {
  const { name, size: bytes } = file;
  const media_type = typeOfName(name) ?? (file.type === '' ? undefined : plainType(file.type));
  const refused = whyNotOffered({ name, media_type, bytes }, taken);
  if (refused !== undefined || media_type === undefined) return refused ?? typesOf(taken.types);
  const base64 = await base64Of(file);
  if (base64 === undefined) return `"${name}" cannot be read.`;
  const named = { name, media_type, base64 };
  const part = readFilePart(printFilePart(named));
  const why = part === undefined ? undefined : whyNotTaken(part, taken);
  return why ?? { ...named, id: crypto.randomUUID(), bytes };
}

/** Undefined for a file that is gone, or is a folder. */
async function base64Of(file: Blob): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const reader = new FileReader();
  reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : undefined));
  reader.addEventListener('error', () => resolve(undefined));
  reader.readAsDataURL(file);
  const url = await promise;
  return url?.slice(url.indexOf(',') + 1);
}

/** Files that are dropped anywhere on the page. Without this the browser would open them in its place. */
export function useDroppedFiles(onFiles: ((files: Iterable<File>) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (onFiles === undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles(event.dataTransfer?.files ?? []);
    };
    window.addEventListener('dragover', over, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => ending.abort();
  });
  return isOver;
}
