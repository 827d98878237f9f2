// What reads the text of a file. Files are hostile: a reader answers for each of them with text or with the reason why there is none.

/** Another program reads other texts, so documents of an earlier one are read again. */
export const reader_version = 2;

export interface FileToRead {
  path: string;
  media_type: string;
  bytes: Uint8Array;
}

export interface ReadDocument {
  /** Markdown. */
  text: string;
  title?: string;
  pages?: number;
}

/** `problem`: one sentence for people. */
export type Reading = { path: string; read: ReadDocument } | { path: string; problem: string };

export interface DocumentReader {
  /** One answer for each file, in any order. */
  read(files: AsyncIterable<FileToRead>, options: { signal: AbortSignal }): AsyncIterable<Reading>;
}
