// What would refuse the calls of a member that is an agent.
import type { MemberFault } from '@gantry/contract/agents/orchestrations.ts';
import type { OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import type { CallingAsset } from '../../../governance/access/decide.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { isAllowedTeam } from '../../deploy/serving/allowed-callers.ts';
import { servingConfig } from '../../deploy/serving/serving-config.ts';
import type { ServingInput } from '../../deploy/serving/serving-inputs.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { into, pointerFault, takesNoText } from '../members/member-input.ts';
import type { Inputs } from '../members/member-inputs.ts';
import { elsewhere, type WantedTarget } from '../members/wanted-target.ts';

export type Fault = Pick<MemberFault, 'message' | 'command'>;

export interface Facts {
  member: OrchestrationMember;
  /** The asset that the member names. */
  asset: AssetRecord;
  by: CallingAsset;
  inputs: Inputs;
  takesText: boolean;
  /** Where all agents serve. */
  wanted: readonly WantedTarget[];
}

export async function agentFault(
  db: Reader,
  { member, asset: agent, by, inputs, takesText: isText, wanted }: Facts,
): Promise<Fault | undefined> {
  const { ref } = agent;
  const exact = parseVersionRef(member.ref);
  const serving = inputs.serving.get(agent.id);
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
  for (const one of wanted) {
    const fault = await elsewhere(db, one, { ref, serving });
    if (fault !== undefined) return fault;
  }
  if (!isText && member.input === undefined) return undefined;
  return mappingFault({ ref, name: agent.name, pointer: member.input, serving });
}

interface Mapped {
  ref: string;
  name: string;
  pointer: string | undefined;
  serving: ServingInput;
}

/** Why no text can be the input of the agent. */
export function mappingFault({ ref, name, pointer, serving: { input } }: Mapped): Fault | undefined {
  if (input === null && pointer === undefined)
    return { message: `The input of ${ref} is not known yet.`, command: `svc restart ${name}` };
  const { schema = null, required = null } = input ?? {};
  const fitting = { ref, pointer, schema, required };
  const fault = pointerFault(fitting);
  if (fault !== undefined) return { message: fault, command: null };
  try {
    into(fitting, 'a text');
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const mend = takesNoText(required)
      ? `Its code needs ${required.join(', ')}, and this member gets one text: give ${ref} an input with one required field.`
      : 'Set `input` of the member to the field that gets the text.';
    return { message: `${error.detail} ${mend}`, command: null };
  }
}
