import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { misuse } from '../refusal.ts';

/** The text of a flag's file, or of stdin for `-`. */
export async function readGiven(file: string): Promise<string> {
  return file === '-' ? await text(process.stdin) : readText(file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw misuse(
      `${file} cannot be read${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`,
    );
  }
}
