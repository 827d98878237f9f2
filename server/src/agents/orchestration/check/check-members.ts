// What would refuse the calls of the members now, each with the command that changes it. A deploy needs an empty list.
import type { MemberFault } from '@gantry/contract/agents/orchestrations.ts';
import {
  isOrchestration,
  type OrchestrationConfig,
  type OrchestrationMember,
} from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { decideUse, type CallingAsset } from '../../../governance/access/decide.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssetsCalledBy, findVersion, type AssetRecord, type VersionRow } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { memberRef } from '../members/member-ref.ts';
import { loadOrchestration } from '../load-orchestration.ts';
import { agentFault, type Fault } from './check-agent-member.ts';
import { inputsIn } from '../members/member-inputs.ts';
import { orchestrationFault } from './check-orchestration-member.ts';
import { wantedBy } from '../members/wanted-target.ts';
import { withFallbacks } from '../members/with-fallbacks.ts';

export interface Checked {
  faults: MemberFault[];
  notices: string[];
}

/** The highest one without a number. Throws the refusal of a reader. */
export async function askedVersion(
  db: Reader,
  user: SignedInCaller,
  { name, version: wanted = 'latest' }: { name: string; version?: string | undefined },
): Promise<{ asset: AssetRecord; version: VersionRow; ref: string }> {
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  authorize(user, 'asset.read', asset);
  const version = await findVersion(db, asset.id, wanted);
  if (version === undefined) throw new Problem('not_found', { detail: `${asset.ref} has no version ${wanted}.` });
  return { asset, version, ref: printVersionRef({ kind: 'orchestration', name, version: version.version }) };
}

export async function checkMembers(db: Reader, asset: AssetRecord, { id }: { id: string }): Promise<Checked> {
  const orchestration = await loadOrchestration(db, id);
  const { config, asset_ids } = orchestration;
  const by: CallingAsset = { ...asset, kind: 'orchestration' };
  const [members, inputs] = await Promise.all([
    findAssetsCalledBy(db, [...asset_ids.values()], by),
    inputsIn(db, orchestration),
  ]);
  const checked: Checked = { faults: [], notices: [] };
  const wanted = wantedBy(asset.ref, config);
  for (const member of config.agents) {
    const ref = memberRef(member);
    const found = members.find((one) => one.id === asset_ids.get(ref));
    const facts = { member, by, inputs, takesText: takesText(config, member), wanted };
    const fault =
      found === undefined
        ? { message: `${ref} was deleted; a new one of this name is another one.`, command: 'svc orchestration push' }
        : (useFault(by, found) ??
          (isOrchestration(member)
            ? await orchestrationFault(db, { ...facts, asset: found })
            : await agentFault(db, { ...facts, asset: found })));
    if (fault !== undefined) checked.faults.push({ member: member.name, agent: ref, ...fault });
  }
  return checked;
}

/** True for a member that gets a text from any input of the caller, also as the fallback of another one. */
function takesText(config: OrchestrationConfig, member: OrchestrationMember): boolean {
  return config.agents.some((one) => getsText(config, one) && withFallbacks(config, one.name).includes(member));
}

function getsText(
  { strategy, agents, supervisor_config }: OrchestrationConfig,
  { name }: OrchestrationMember,
): boolean {
  if (strategy === 'sequential') return agents[0]?.name !== name;
  return name === supervisor_config?.merge_agent || name === supervisor_config?.supervisor_agent;
}

function useFault(by: CallingAsset, asset: AssetRecord): Fault | undefined {
  if (decideUse(by, asset).allowed) return undefined;
  const { ref, owner } = asset;
  return {
    message: `${by.ref} has no use permission on ${ref}. Its owner ${owner} can grant it.`,
    command: `svc acl grant --asset ${ref} --principal orchestration:${by.name} --actions use`,
  };
}
