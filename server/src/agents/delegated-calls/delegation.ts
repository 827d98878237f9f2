// Who calls for whom, as it is now: an agent that calls a subagent, or an orchestration that calls a member. Both call for the end caller of a run.
// An agent also calls for itself.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, EndCaller, Origin } from '../../governance/access/caller.ts';
import type { CallingAsset } from '../../governance/access/decide.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetById, type AssetRecord } from '../../assets/registry/find.ts';
import type { Link } from '../../ground/run-token.ts';
import { runEnded } from './agent-way.ts';
import { loadEndCaller } from './end-caller.ts';

/** The assets between the end caller and the called one. */
export interface Through {
  /** The first run. Undefined for an agent that calls for itself: this is the first. */
  root_run_id: string | undefined;
  /** The trace of the first run. Undefined: the trace of the request goes on. */
  trace_id?: string | undefined;
  /** Nearest first: the calling one. At least one. */
  chain: readonly Link[];
}

export interface Delegation {
  by: CallingAsset;
  user: EndCaller;
  /** The asset that the end caller has called. Undefined when the end caller is that asset. */
  first: AssetRecord | undefined;
  through: Through;
}

/** The run in which an orchestration calls a member. */
export interface OrchestrationCaller {
  self: Link;
  /** The orchestrations around it, nearest first. */
  outer: readonly Link[];
  run_id: string;
  caller_id: string;
  /** The end caller in the words of a refusal. */
  account: string;
  origin: Origin;
}

interface AgentParts {
  db: Reader;
  isOpen: (run: { id: string; revision_id: string }) => Promise<boolean>;
}

/** Throws `run_refused` when the run has ended, and the refusal when its end caller is gone. */
export async function delegationOfAgent({ db, isOpen }: AgentParts, caller: AgentCaller): Promise<Delegation> {
  const { id, label: ref, name, team, revision_id, run, origin } = caller;
  const self: Link = { id, ref };
  const by: CallingAsset = { kind: 'agent', id, ref, name, team };
  if (run === undefined)
    return { by, user: caller, first: undefined, through: { root_run_id: undefined, chain: [self] } };
  if (!(await isOpen({ id: run.run_id, revision_id }))) throw runEnded();
  const chain = [self, ...run.chain];
  const through = { root_run_id: run.root_run_id, trace_id: run.trace_id, chain };
  const first = chain.at(-1) ?? self;
  if (run.caller_id === first.id) {
    const user = { kind: 'agent', id: first.id, label: first.ref, memberships: [] } as const;
    return { by, user, first: undefined, through };
  }
  const account = 'The account that the run works for';
  const { user, asset } = await loadEndCaller(db, { caller_id: run.caller_id, account, first, origin });
  return { by, user, first: asset, through };
}

/** The caller holds the run, so it is open. */
export async function delegationOfOrchestration(
  db: Reader,
  { self, outer, run_id, caller_id, account, origin }: OrchestrationCaller,
): Promise<Delegation> {
  const first = outer.at(-1) ?? self;
  const [{ user, asset }, inner] = await Promise.all([
    loadEndCaller(db, { caller_id, account, first, origin }),
    first === self ? undefined : findSelf(db, self),
  ]);
  const { id, ref, name, team } = inner ?? asset;
  const by: CallingAsset = { kind: 'orchestration', id, ref, name, team };
  return { by, user, first: asset, through: { root_run_id: run_id, chain: [self, ...outer] } };
}

async function findSelf(db: Reader, { id, ref }: Link): Promise<AssetRecord> {
  const asset = await findAssetById(db, id, null);
  if (asset === undefined) throw new Problem('not_found', { detail: `${ref} no longer exists.` });
  return asset;
}
