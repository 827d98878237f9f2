import type { ReachLine } from '@gantry/contract/assets/reach.ts';
import type { AssetSubject } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { load, type Before } from './compare.ts';
import { reachOf } from './reach.ts';

/** All that the content reaches, compared with nothing. */
export async function presentReach(db: Reader, asset: AssetSubject, of: Before): Promise<ReachLine[]> {
  const now = await load(db, asset, of);
  return reachOf(now, now);
}
