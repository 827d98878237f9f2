// The decision about a call that an asset makes for somebody else, made anew for each call: `use` of the end caller on the first asset of the chain,
// `use` of the calling asset on the called one, its allowed callers against the calling asset's team, the pinned version, and no loop. The end
// caller needs no `use` on the called asset.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { CallingAsset } from '../../governance/access/decide.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { requireCallableBy } from '../deploy/serving/require-callable.ts';
import { refuseChain } from './chain.ts';
import type { Delegation, Through } from './delegation.ts';

/** What the version of the calling asset may call. Its push has pinned the asset. */
export interface Pin {
  kind: 'agent' | 'orchestration';
  /** As its file has it, with a version that the file names. */
  ref: string;
  /** In the file. */
  name: string;
  /** Undefined when the asset was deleted. */
  asset_id: string | undefined;
  /** Undefined: any version. */
  version: string | undefined;
}

export interface Served {
  version: string;
  allowed_teams: string[] | undefined;
  desired: string;
}

/** The called asset with the entries of the calling one, and what serves. */
export type FindCalled<S> = (
  by: CallingAsset,
  asset_id: string,
) => Promise<{ asset: AssetRecord | undefined; serving: S | undefined }>;

export interface Delegated<S> {
  user: EndCaller;
  through: Through;
  asset: AssetRecord;
  serving: S;
}

/** Throws the refusal, `not_found` or `member_changed` for a pin that no longer holds, `not_deployed`, `call_loop` or `too_many_calls`. */
export async function admitDelegated<S extends Served>(
  { by, user, first, through }: Delegation,
  pin: Pin,
  find: FindCalled<S>,
): Promise<Delegated<S>> {
  refuseChain(through.chain, pin);
  if (first !== undefined && user.kind !== 'agent') authorize(user, 'asset.invoke', first);
  const { asset, serving } = pin.asset_id === undefined ? nobody : await find(by, pin.asset_id);
  if (asset === undefined) throw gone(by, pin);
  requireCallableBy(by, asset, serving);
  if (pin.version !== undefined && pin.version !== serving.version) throw otherVersion(by, pin, serving);
  return { user, through, asset, serving };
}

const nobody = { asset: undefined, serving: undefined };

function gone(by: CallingAsset, { ref, name }: Pin): Problem {
  if (by.kind === 'agent')
    return new Problem('not_found', {
      detail: `${ref} was deleted; a new agent of this name is another one.`,
      hint: `Push and deploy ${by.ref} again, so that it names the new agent.`,
    });
  return new Problem('member_changed', {
    detail: `${ref} of ${name} was deleted.`,
    hint: 'Push the orchestration again, so that it names the new one.',
  });
}

function otherVersion(by: CallingAsset, { ref, name }: Pin, { version }: Served): Problem {
  const [subject, otherwise] =
    by.kind === 'agent'
      ? ['The subagent', 'name another version under `subagents`']
      : [name, 'push the orchestration with another version of it'];
  return new Problem('member_changed', {
    detail: `${subject} is ${ref}, and version ${version} serves now.`,
    hint: `Deploy ${ref}, or ${otherwise}.`,
  });
}
