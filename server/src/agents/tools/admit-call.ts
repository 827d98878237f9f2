// Who may make a call of a tool: an agent in an open run of an end caller who may still use the agent, or a person or a service principal for themselves.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, EndCaller, SignedInCaller } from '../../governance/access/caller.ts';
import type { Link } from '../../ground/run-token.ts';
import type { Database } from '../../ground/database/database.ts';
import { delegationOfAgent } from '../delegated-calls/delegation.ts';
import { isOpenRun } from '../invoke/open-run.ts';
import { serverFor, serverOfTool, type UsableServer } from './find-tools.ts';

export type ToolCaller = AgentCaller | SignedInCaller;

interface Admitted {
  usable: UsableServer;
  user: EndCaller;
  /** The assets between the caller and the call, the calling agent first. */
  through: readonly Link[];
}

/** Throws the refusal, `not_found` or `run_refused`. */
export async function admitCall(
  db: Database,
  caller: ToolCaller,
  asked: { server: string; tool: string; found?: UsableServer | undefined },
): Promise<Admitted> {
  const { found } = asked;
  if (caller.kind !== 'agent')
    return { usable: found ?? (await serverFor(db, caller, asked.server)), user: caller, through: [] };
  if (caller.run === undefined)
    throw new Problem('run_refused', { detail: 'A tool is called in a run: send the X-Svc-Run of the call.' });
  const usable = found ?? (await serverOfTool(db, caller, asked));
  const { user, through } = await delegationOfAgent({ db, isOpen: async (run) => await isOpenRun(db, run) }, caller);
  return { usable, user, through: through.chain };
}
