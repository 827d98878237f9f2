import type { Reader } from '../../../ground/database/database.ts';
import { listTargets } from '../../../assets/targets/find-targets.ts';
import { targetOfRevision } from '../revision-store.ts';

/** Where the containers of this revision reach the door, as its target says. Undefined on a target that names no address, such as `local`. */
export async function doorAddress(db: Reader, revision_id: string): Promise<string | undefined> {
  const target = await targetOfRevision(db, revision_id);
  if (target === undefined) return undefined;
  const [row] = await listTargets(db, target);
  const address: unknown = row && 'service_url' in row.config ? row.config.service_url : undefined;
  return typeof address === 'string' ? address.replace(/\/+$/, '') : undefined;
}
