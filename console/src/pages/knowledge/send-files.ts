import { refusalsOfOneUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sha256 } from '@noble/hashes/sha2.js';
import { send } from '../../server.ts';
import type { FileToSend } from './files-to-send.ts';

export interface SentFiles {
  sent: number;
  unchanged: number;
  refused: { path: string; problem: string }[];
}

interface Sending {
  /** The digests that the base has, by path. */
  before: ReadonlyMap<string, string>;
  onFile: (number: number, path: string) => void;
}

/** One after the other. A refusal of one file stops no other. Throws any other refusal. */
export async function sendFiles(
  name: string,
  files: readonly FileToSend[],
  { before, onFile }: Sending,
): Promise<SentFiles> {
  const done: SentFiles = { sent: 0, unchanged: 0, refused: [] };
  for (const [n, { path, file, problem }] of files.entries()) {
    onFile(n + 1, path);
    if (problem !== undefined) {
      done.refused.push({ path, problem });
      continue;
    }
    const body = new Uint8Array(await file.arrayBuffer());
    if (before.get(path) === sha256(body).toHex()) done.unchanged += 1;
    else {
      try {
        await send('knowledge.upload', { params: { name }, query: { path }, body });
        done.sent += 1;
      } catch (error) {
        if (!(error instanceof Problem) || !refusalsOfOneUpload.has(error.code)) throw error;
        done.refused.push({ path, problem: error.detail });
      }
    }
  }
  return done;
}
