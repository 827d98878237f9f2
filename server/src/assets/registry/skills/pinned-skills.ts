// The skills of a version of an agent, as its push has pinned them.
import { parseAnyRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { contentDigest, type Pin } from '../content.ts';
import * as contents from '../content-store.ts';

export interface PinnedSkill {
  /** As agent.yaml names it. */
  ref: string;
  name: string;
  description: string;
  manifest: contents.StoredContent['manifest'];
}

export async function pinnedSkills(db: Reader, pins: readonly Pin[]): Promise<PinnedSkill[]> {
  const skills: PinnedSkill[] = [];
  for (const { ref, digest } of pins) {
    const parsed = parseAnyRef(ref);
    if (parsed?.kind !== 'skill') continue;
    const content = await contents.content(db, digest);
    if (content === undefined || contentDigest(content) !== digest)
      throw new Error(`the content of ${ref} does not match its digest`);
    const { config, manifest } = content;
    skills.push({ ref, name: parsed.name, description: String(config['description']), manifest });
  }
  return skills;
}
