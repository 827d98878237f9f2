// A request on the agents' network. The key of its revision proves the agent, and the token of a run proves for whom it calls. Neither counts
// alone: a token is believed only with the key of its own revision, and only while its run is open.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, KeyCaller, Origin } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { callingRevision, startingRevision } from '../deploy/serving/subagents.ts';
import { bearerOf } from '../../governance/http/request/request-headers.ts';
import type { Way } from '../../governance/http/surface.ts';
import { isStartingKey } from '../../models/keys/calls/facts.ts';
import { readRun } from '../../models/keys/calls/read-run.ts';
import type { RunClaims, RunKey } from '../../ground/run-token.ts';

interface Proofs {
  db: Reader;
  run_key: RunKey;
  authenticate: (key: string | undefined, origin: Origin) => Promise<KeyCaller>;
}

/**
 * No session of a person counts here. `takes_starting`: an agent that its deploy starts now comes in too. That one works for nobody, so it has no
 * run.
 */
export function agentWay(
  { db, run_key, authenticate }: Proofs,
  { takes_starting }: { takes_starting: boolean } = { takes_starting: false },
): Way {
  return {
    isUsed: ({ headers }) => headers.has('authorization'),
    authenticate: async ({ headers, origin }): Promise<AgentCaller> => {
      const key = await authenticate(bearerOf(headers), origin);
      const calling = await callingRevision(db, key.id);
      if (calling !== undefined)
        return agentCaller(calling, { origin, key_id: key.id, run: openRun(readRun(run_key, key, headers)) });
      const isStarting = takes_starting && (await isStartingKey(db, key.id));
      const starting = isStarting ? await startingRevision(db, key.id) : undefined;
      if (starting !== undefined) return agentCaller(starting, { origin, key_id: key.id, run: undefined });
      throw new Problem('invalid_api_key', { detail: 'Only the key of a deployed agent works here.' });
    },
  };
}

type Calling = NonNullable<Awaited<ReturnType<typeof callingRevision>>>;

function agentCaller(
  { agent_id, name, team_id, team, revision_id, version_id }: Calling,
  { origin, key_id, run }: Pick<AgentCaller, 'origin' | 'key_id' | 'run'>,
): AgentCaller {
  return {
    kind: 'agent',
    id: agent_id,
    label: `agents/${name}`,
    memberships: [],
    name,
    team: { id: team_id, name: team },
    revision_id,
    version_id,
    key_id,
    run,
    origin,
  };
}

function openRun(read: ReturnType<typeof readRun>): RunClaims | undefined {
  if (read?.is_expired) throw runEnded();
  return read?.claims;
}

export function runEnded(): Problem {
  return new Problem('run_refused', { detail: 'The run of this X-Svc-Run has ended.' });
}
