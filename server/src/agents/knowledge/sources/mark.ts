import { sha256 } from '../../../assets/registry/content.ts';

/** Of where a content is and what its source calls it: a source that moves elsewhere has other marks. */
export function markOf(...parts: readonly string[]): string {
  return sha256(Buffer.from(JSON.stringify(parts)));
}
