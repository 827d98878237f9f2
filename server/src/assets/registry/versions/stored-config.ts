import type { Reader } from '../../../ground/database/database.ts';
import type { Pin } from '../content.ts';
import * as contents from '../content-store.ts';

/** The config of the content with this digest, and its references as they were pinned. Content is never changed. */
export async function storedConfig(
  db: Reader,
  digest: string,
): Promise<{ config: Record<string, unknown>; pins: Pin[] }> {
  const [config, pins] = await Promise.all([contents.config(db, digest), contents.pinsOf(db, digest)]);
  return { config, pins };
}
