// The input that an orchestration takes: that of the members that get the caller's input, where they agree.
import type { AgentInput } from '@gantry/contract/agents/invoke.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { requireCallable } from './begin.ts';
import { loadOrchestration } from './load-orchestration.ts';
import { inputSchema, inputsIn } from './members/member-inputs.ts';

export async function input(
  db: Reader,
  { caller, name }: { caller: Caller; name: string },
): Promise<Pick<AgentInput, 'input_schema'>> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  const orchestration = await loadOrchestration(db, requireCallable(user, asset));
  return { input_schema: inputSchema(await inputsIn(db, orchestration), orchestration) };
}
