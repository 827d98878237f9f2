import type { TargetDrift, TargetDrifts } from '@gantry/contract/assets/targets.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../../governance/access/authorize.ts';
import type { Caller } from '../../../../governance/access/caller.ts';
import { theOrg } from '../../../../governance/access/subject.ts';
import { signedIn } from '../../../../people/principals/signed-in.ts';
import type { DriftRow } from '../../drift-store.ts';
import { findDrift } from '../../keep/note-drift.ts';
import type { DeployParts } from '../../parts.ts';

/** Looks now, also when somebody looked a moment ago. */
export async function showDrift(
  parts: Pick<DeployParts, 'db' | 'targets'>,
  caller: Caller,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<TargetDrifts> {
  authorize(signedIn(caller), 'target.change', theOrg);
  if (!(await parts.targets.names()).includes(name)) throw new Problem('not_found');
  const found = await findDrift(parts, { target: name, signal });
  return { target: name, compares: found !== undefined, drift: (found ?? []).map((one) => toDrift(name, one)) };
}

const toDrift = (target: string, { kind, name, what, detail, found_at, ...of }: DriftRow): TargetDrift => ({
  kind,
  name,
  what,
  detail,
  agent: of.agent,
  found_at,
  mend: mendOf(target, { what, ...of }),
});

/** A revision that does not serve ends by itself, and its leftovers are collected. */
function mendOf(
  target: string,
  { what, agent, version, serves }: Pick<DriftRow, 'what' | 'agent' | 'version' | 'serves'>,
): string | null {
  if (what === 'foreign') return 'svc server gc';
  if (serves && agent !== null && version !== null)
    return `svc deploy agents/${agent}@${version} --target ${target} --force`;
  return agent === null ? 'svc server gc' : null;
}
