// Which run asks, and which of its caller's threads it means. Promises: a run reaches only threads of its own end caller and way. Without an open
// run nothing of a caller is reached. The service reads both from the token and its rows, and nothing from the request.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { RunClaims } from '../../../ground/run-token.ts';
import { nameThread, type ThreadName } from '../../invoke/turns.ts';
import * as store from '../thread-store.ts';

export interface AskingRun {
  run: RunClaims;
  /** Whose threads and items it reaches. */
  owner: { agent_id: string; owner_id: string };
  /** The thread of its call. Undefined for a call without one. */
  own_thread: string | undefined;
  /** A thread of its caller by its name. */
  named: (name: string) => ThreadName;
}

/** Throws `run_refused` for a caller without an open run. */
export async function askingRun(db: Reader, caller: Caller): Promise<AskingRun> {
  authorize(caller, 'memory.keep', theOrg);
  if (caller.kind !== 'agent') throw new Error('only an agent comes here');
  const { run } = caller;
  if (run === undefined)
    throw new Problem('run_refused', { detail: 'Memory belongs to a run: send the X-Svc-Run of the call.' });
  const open = await store.openRun(db, run);
  if (open === undefined)
    throw new Problem('run_refused', {
      detail: 'The run of this X-Svc-Run has ended, or the service has no record of it.',
      hint: 'Call the agent with a `thread_id`, so that its run is on record.',
    });
  const owner = { agent_id: run.agent_id, owner_id: run.caller_id };
  return {
    run,
    owner,
    own_thread: open.thread_id ?? undefined,
    named: (name) => nameThread({ ...owner, chain: run.chain }, name),
  };
}

/** The thread that a request means. Undefined when its name is unknown. Throws `no_thread` for a call without one. */
export async function threadOf(db: Reader, asking: AskingRun, name: string | undefined): Promise<string | undefined> {
  if (name !== undefined) return await store.findThread(db, asking.named(name));
  if (asking.own_thread === undefined) throw new Problem('no_thread');
  return asking.own_thread;
}
