import { text as readAll } from 'node:stream/consumers';
import type { z } from 'zod';

/** JSON, or a text. `-` reads either from stdin. */
export async function readOrchestrationInput(given: string): Promise<z.core.util.JSONType> {
  const source = given === '-' ? await readAll(process.stdin) : given;
  try {
    return JSON.parse(source) as z.core.util.JSONType; // JSON.parse returns JSON
  } catch {
    return source.replace(/\r?\n$/, '');
  }
}
