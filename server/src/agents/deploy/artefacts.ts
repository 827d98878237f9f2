// Files of a revision for people and their tools: those of its target, and the image's bill of materials. They are rows, so they do not
// depend on the disk of one worker. None has a secret. Run by hand, a compose file starts a container without key or route.
import type { Artefact } from '@gantry/contract/agents/deployment-files.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import * as artefactStore from './artefact-store.ts';
import { findDeploy } from './deployments/find-deploy.ts';

/** The files of the revision that this deploy has registered. */
export async function listArtefacts(db: Database, caller: Caller, id: string): Promise<Artefact[]> {
  const { row } = await findDeploy(db, caller, id);
  return row.revision_id === null ? [] : await artefactStore.artefacts(db, row.revision_id);
}
