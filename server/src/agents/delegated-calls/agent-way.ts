// A request on the agents' network. The key of its revision proves the agent, and the token of a run proves for whom it calls. Neither counts
// alone: a token is believed only with the key of its own revision, and only while its run is open.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, KeyCaller, Origin } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { callingRevision } from '../deploy/serving/subagents.ts';
import { bearerOf } from '../../governance/http/request/request-headers.ts';
import type { Way } from '../../governance/http/surface.ts';
import { readRun } from '../../models/keys/calls/read-run.ts';
import type { RunClaims, RunKey } from '../../ground/run-token.ts';

interface Proofs {
  db: Reader;
  run_key: RunKey;
  authenticate: (key: string | undefined, origin: Origin) => Promise<KeyCaller>;
}

/** No session of a person counts here. */
export function agentWay({ db, run_key, authenticate }: Proofs): Way {
  return {
    isUsed: ({ headers }) => headers.has('authorization'),
    authenticate: async ({ headers, origin }): Promise<AgentCaller> => {
      const key = await authenticate(bearerOf(headers), origin);
      const calling = await callingRevision(db, key.id);
      if (calling === undefined)
        throw new Problem('invalid_api_key', { detail: 'Only the key of a deployed agent works here.' });
      const { agent_id, name, team_id, team, revision_id, version_id } = calling;
      return {
        kind: 'agent',
        id: agent_id,
        label: `agents/${name}`,
        memberships: [],
        name,
        team: { id: team_id, name: team },
        revision_id,
        version_id,
        run: openRun(readRun(run_key, key, headers)),
        origin,
      };
    },
  };
}

function openRun(read: ReturnType<typeof readRun>): RunClaims | undefined {
  if (read?.is_expired) throw runEnded();
  return read?.claims;
}

export function runEnded(): Problem {
  return new Problem('run_refused', { detail: 'The run of this X-Svc-Run has ended.' });
}
