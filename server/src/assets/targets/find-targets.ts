// The targets that admins have added, for the folders above.
import { local_target, targetCredential, type TargetCredential } from '@gantry/contract/assets/targets.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import { meantAmong, whyElsewhere, type WantedPlace } from './meant-target.ts';
import * as store from './store.ts';

export interface NamedTarget extends Pick<store.TargetRow, 'id' | 'name' | 'config' | 'digest'> {
  credential: TargetCredential | undefined;
}

export type { TargetRow } from './store.ts';

const sealedRow = (id: string) => ({ table: 'target_credential', id });

export const seal = (envelope: Envelope, asset_id: string, credential: TargetCredential): Buffer =>
  envelope.seal(JSON.stringify(credential), sealedRow(asset_id));

/** With its credential, for the connection to it. */
export async function findTarget(db: Reader, envelope: Envelope, name: string): Promise<NamedTarget | undefined> {
  const [row] = await store.targets(db, name);
  if (row === undefined) return undefined;
  const { id, config, digest, sealed } = row;
  const credential =
    sealed === null ? undefined : targetCredential.parse(JSON.parse(envelope.open(sealed, sealedRow(id))));
  return { id, name, config, digest, credential };
}

export async function listTargets(db: Reader, name?: string): Promise<store.TargetRow[]> {
  return await store.targets(db, name);
}

/** The name of the target that this text means, for the place of agent.yaml. */
export async function meantTarget(db: Reader, text: string, place: WantedPlace = {}): Promise<string> {
  return text === local_target ? text : meantAmong(await store.targets(db), text, place);
}

/** As whyElsewhere, among the targets that there are. */
export async function misplaced(db: Reader, deploy: Parameters<typeof whyElsewhere>[1], target: string) {
  return whyElsewhere(await store.targets(db), deploy, target);
}

/** For the delete of a target, and for a deploy, during which it is not deleted. */
export { holdTarget, removeCredential } from './store.ts';
