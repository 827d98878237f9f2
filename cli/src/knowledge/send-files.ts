import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { refusalsOfOneUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';
import type { FileToUpload } from './files-to-upload.ts';

export interface SentFiles {
  sent: string[];
  unchanged: string[];
  refused: { path: string; problem: string }[];
}

/** One after the other. A refusal of one file stops no other; `before` has the digests that the base has. */
export async function sendFiles(
  session: Session,
  name: string,
  { files, before }: { files: readonly FileToUpload[]; before: ReadonlyMap<string, string> },
): Promise<SentFiles> {
  const done: SentFiles = { sent: [], unchanged: [], refused: [] };
  for (const [n, { path, file }] of files.entries()) {
    session.output.progress([`${n + 1} of ${files.length}: ${path}`]);
    const body = readFileSync(file);
    if (before.get(path) === createHash('sha256').update(body).digest('hex')) {
      done.unchanged.push(path);
      continue;
    }
    try {
      await session.call('knowledge.upload', { params: { name }, query: { path }, body });
      done.sent.push(path);
    } catch (error) {
      if (!(error instanceof Problem) || !refusalsOfOneUpload.has(error.code)) throw error;
      done.refused.push({ path, problem: error.detail });
    }
  }
  session.output.progress(undefined);
  return done;
}
