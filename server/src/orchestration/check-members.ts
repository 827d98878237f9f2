// What would refuse the calls of the members now, each with the command that changes it. A deploy needs an empty list.
import type { MemberFault } from '@gantry/contract/orchestrations.ts';
import type { OrchestrationConfig, OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef, printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { decideUse, type CallingAsset } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import { isAllowedTeam } from '../deploy/allowed-callers.ts';
import { servingConfig } from '../deploy/serving-config.ts';
import { servingInputs, type ServingInput } from '../deploy/serving-inputs.ts';
import { findAssetsCalledBy, findVersion, type AssetRecord, type VersionRow } from '../registry/find.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { agentRef } from './agent-ref.ts';
import { loadOrchestration } from './load-orchestration.ts';
import { into, pointerFault, takesNoText, type Fitting } from './member-input.ts';
import { withFallbacks } from './with-fallbacks.ts';

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
  const { config, asset_ids } = await loadOrchestration(db, id);
  const by: CallingAsset = { ...asset, kind: 'orchestration' };
  const ids = [...asset_ids.values()];
  const [agents, serving] = await Promise.all([findAssetsCalledBy(db, ids, by), servingInputs(db, ids)]);
  const checked: Checked = { faults: [], notices: [] };
  for (const member of config.agents) {
    const ref = agentRef(member);
    const agent = agents.find((one) => one.id === asset_ids.get(ref));
    const fault = await faultOf(db, by, {
      member,
      agent,
      serving: serving.find(({ agent_id }) => agent_id === agent?.id),
      takesText: takesText(config, member),
    });
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

interface Facts {
  member: OrchestrationMember;
  agent: AssetRecord | undefined;
  serving: ServingInput | undefined;
  takesText: boolean;
}

async function faultOf(
  db: Reader,
  by: CallingAsset,
  { member, agent, serving, takesText: isText }: Facts,
): Promise<Pick<MemberFault, 'message' | 'command'> | undefined> {
  const ref = agentRef(member);
  const exact = parseVersionRef(member.ref);
  if (agent === undefined)
    return {
      message: `${ref} was deleted; a new agent of this name is another one.`,
      command: 'svc orchestration push',
    };
  const use = decideUse(by, agent);
  if (!use.allowed)
    return {
      message: `${by.ref} has no use permission on ${ref}. Its owner ${agent.owner} can grant it.`,
      command: `svc acl grant --asset ${ref} --principal orchestration:${by.name} --actions use`,
    };
  if (serving === undefined)
    return { message: `${ref} is not deployed.`, command: `svc deploy ${exact ? member.ref : ref}` };
  const { allowed_teams } = await servingConfig(db, serving.version_id);
  if (!isAllowedTeam(by.team.name, allowed_teams))
    return {
      message: `${ref} accepts no calls of team:${by.team.name} (access.allowed_callers).`,
      command: `svc deploy ${ref}`,
    };
  if (serving.desired === 'stopped') return { message: `${ref} is stopped.`, command: `svc start ${agent.name}` };
  if (exact !== undefined && exact.version !== serving.version)
    return {
      message: `${ref} serves version ${serving.version}, not ${exact.version}.`,
      command: `svc deploy ${member.ref}`,
    };
  if (!isText && member.input === undefined) return undefined;
  if (serving.input === null && member.input === undefined)
    return { message: `The input of ${ref} is not known yet.`, command: `svc restart ${agent.name}` };
  const { schema = null, required = null } = serving.input ?? {};
  return mappingFault({ ref, pointer: member.input, schema, required });
}

function mappingFault(fitting: Fitting) {
  const fault = pointerFault(fitting);
  if (fault !== undefined) return { message: fault, command: null };
  try {
    into(fitting, 'a text');
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { ref, required } = fitting;
    const mend = takesNoText(required)
      ? `Its code needs ${required.join(', ')}, and this member gets one text: give ${ref} an input with one required field.`
      : 'Set `input` of the member to the field that gets the text.';
    return { message: `${error.detail} ${mend}`, command: null };
  }
}
