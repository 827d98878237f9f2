// What would refuse the calls of a member that is an orchestration. Its own members were checked at its own deploy.
import { isOrchestration } from '@gantry/project/orchestration-yaml.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findVersionById } from '../../../assets/registry/find.ts';
import { mappingFault, type Facts, type Fault } from './check-agent-member.ts';
import type { Orchestration } from '../load-orchestration.ts';
import { pointerFault } from '../members/member-input.ts';
import { firstMembers, inputSchema, type Inputs } from '../members/member-inputs.ts';
import { memberRef } from '../members/member-ref.ts';
import { nestingFault } from '../members/nesting.ts';
import { elsewhere, type WantedTarget } from '../members/wanted-target.ts';

export async function orchestrationFault(
  db: Reader,
  { member, asset, by, inputs, takesText, wanted }: Facts,
): Promise<Fault | undefined> {
  const { id, ref, name, serving_version_id } = asset;
  const exact = parseVersionRef(member.ref);
  const command = `svc orchestration deploy ${name}${exact === undefined ? '' : ` --version ${exact.version}`}`;
  const orchestration = inputs.reached.get(id);
  if (serving_version_id === null || orchestration === undefined)
    return { message: `${ref} is not deployed.`, command };
  const serving = await findVersionById(db, serving_version_id);
  if (exact !== undefined && exact.version !== serving?.version)
    return { message: `${ref} serves version ${serving?.version}, not ${exact.version}.`, command };
  const nesting = nestingFault(inputs.reached, by, asset);
  if (nesting !== undefined) return { message: nesting, command: null };
  for (const one of wanted) {
    const fault = await insideElsewhere(db, one, inputs, orchestration);
    if (fault !== undefined) return fault;
  }
  const { input: pointer } = member;
  if (pointer !== undefined) {
    const schema = inputSchema(inputs, orchestration);
    const fault = pointerFault({ ref, pointer, schema, required: null });
    return fault === undefined ? undefined : { message: fault, command: null };
  }
  return takesText ? textFault(inputs, orchestration) : undefined;
}

/** The first agent inside that serves on another target. One that does not serve has a fault of its own at the deploy of its orchestration. */
async function insideElsewhere(
  db: Reader,
  wanted: WantedTarget,
  { reached, serving }: Inputs,
  orchestration: Orchestration,
): Promise<Fault | undefined> {
  for (const member of orchestration.config.agents) {
    const ref = memberRef(member);
    const id = orchestration.asset_ids.get(ref) ?? '';
    const [inner, one] = [reached.get(id), serving.get(id)];
    const fault =
      (one && (await elsewhere(db, wanted, { ref, serving: one }))) ??
      (inner && (await insideElsewhere(db, wanted, { reached, serving }, inner)));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Why the members inside that get the caller's input cannot get a text. There is no circle: that is checked before. */
function textFault(inputs: Inputs, { config, asset_ids }: Orchestration): Fault | undefined {
  for (const member of firstMembers(config)) {
    const ref = memberRef(member);
    const id = asset_ids.get(ref) ?? '';
    const [inner, serving] = [inputs.reached.get(id), inputs.serving.get(id)];
    // With a pointer it takes a text: its own deploy has checked that.
    if (member.input !== undefined) continue;
    const fault = isOrchestration(member)
      ? inner && textFault(inputs, inner)
      : serving && mappingFault({ ref, name: ref.slice('agents/'.length), pointer: undefined, serving });
    if (fault !== undefined) return fault;
  }
  return undefined;
}
