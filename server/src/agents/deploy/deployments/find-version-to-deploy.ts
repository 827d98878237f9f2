import { targetOf, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findVersion, type AssetRecord, type VersionRow } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { meantTarget } from '../../../assets/targets/find-targets.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';

export interface Wanted {
  asset: AssetRecord;
  version: VersionRow;
  config: AgentConfig;
  target: string;
}

/** The version of a reference, for callers who may read the agent. The target is the requested one, else that of the file. */
export async function findVersionToDeploy(
  db: Reader,
  user: SignedInCaller,
  asked: { ref: string; target?: string | undefined },
): Promise<Wanted> {
  const ref = parseVersionRef(asked.ref);
  if (ref?.kind !== 'agent') {
    throw new Problem('invalid', {
      detail: `${asked.ref} is not a version of an agent.`,
      errors: [{ pointer: '/ref', message: 'must be agents/<name>@<version>' }],
    });
  }
  const asset = await loadAsset(db, { kind: 'agent', name: ref.name }, user);
  authorize(user, 'asset.read', asset);
  const version = await findVersion(db, asset.id, ref.version);
  if (version === undefined)
    throw new Problem('not_found', {
      detail: `${asset.ref} has no version ${ref.version}.`,
      hint: `List the versions: svc registry agent show ${ref.name}`,
    });
  const config = await loadAgentConfig(db, version.id);
  return { asset, version, config, target: await meantTarget(db, asked.target ?? targetOf(config), config.deploy) };
}
