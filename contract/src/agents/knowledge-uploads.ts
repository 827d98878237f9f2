// Files that people send to a knowledge base whose config says `uploads: true`. The next refresh reads them.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byName, paging, text, time } from '../wire.ts';

/** Of one file. */
export const most_upload_bytes = 50 * 1024 * 1024;

/** Within its base, like `hr/leave.md`. It never leads out of a folder. */
export const uploadPath = text
  .min(1)
  .max(500)
  .refine((path) => path.split('/').every((part) => !['', '.', '..'].includes(part)), 'must be a path like hr/leave.md')
  .refine((path) => !/[\\\n\t]/.test(path), 'must have no backslash, line break or tab')
  .describe('The path of the document in its base, like hr/leave.md');

/** Before it is sent, so that one file stops no other. Undefined: it may be sent. */
export function whyNotUploaded(path: string, bytes: number): string | undefined {
  if (bytes > most_upload_bytes) return `it has more than ${most_upload_bytes / 1024 ** 2} MB`;
  const read = uploadPath.safeParse(path);
  return read.success ? undefined : `its path ${read.error.issues[0]?.message ?? 'is refused'}`;
}

/** One name has several spellings in Unicode, and systems differ in which one they keep. */
export const pathOfUpload = (parts: readonly string[]): string => parts.join('/').normalize('NFC');

/** The codes of refusals of one file. Any other stops the upload of all. */
export const refusalsOfOneUpload: ReadonlySet<string> = new Set(['too_large', 'invalid']);

export const knowledgeUpload = z.object({
  path: z.string(),
  bytes: z.int(),
  digest: z.string().describe('SHA-256 of the file'),
  uploaded_at: time,
});
export type KnowledgeUpload = z.output<typeof knowledgeUpload>;

const path = '/api/v1/knowledge-bases/{name}/uploads';
const byPath = z.strictObject({ path: uploadPath });

export const knowledgeUploadEndpoints = {
  'knowledge.uploads': {
    method: 'GET',
    path,
    summary: 'The files that were uploaded to a knowledge base, by path',
    operation: 'asset.write',
    params: byName,
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: knowledgeUpload },
    problems: [],
  },
  'knowledge.upload': {
    method: 'PUT',
    path,
    summary: 'Upload a file to a knowledge base, or replace it; the next refresh reads it',
    operation: 'asset.write',
    params: byName,
    query: byPath,
    body: 'file',
    reply: { kind: 'data', status: 200, schema: knowledgeUpload },
    problems: ['too_large', 'uploads_off', 'uploads_full'],
  },
  'knowledge.delete_upload': {
    method: 'DELETE',
    path,
    summary: 'Delete an uploaded file; snapshots that have it keep it',
    operation: 'asset.write',
    params: byName,
    query: byPath,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
