// Files that are text already. They need no program that could be attacked, and so no container.
import type { FileToRead, Reading } from './document-reader.ts';

export function readText({ path, bytes }: FileToRead): Reading {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // PostgreSQL stores none.
    if (!text.includes('\0')) return { path, read: { text } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return { path, problem: 'it is not text in UTF-8' };
}
