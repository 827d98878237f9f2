// Who sees what guardrails did: the counts of an agent, its readers; its blocks with their runs, who may edit it; of a team, its admins.
import type { GuardrailReport } from '@gantry/contract/guardrails/report.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { decide } from '../../governance/access/decide.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { findTeam } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAgent } from '../../assets/registry/find.ts';
import * as store from './record-store.ts';

interface Asked {
  agent?: string | undefined;
  team?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

const usual_ms = 7 * 86_400_000;

export async function reportGuardrails(
  db: Database,
  caller: Caller,
  { agent, team, since, until }: Asked,
): Promise<GuardrailReport> {
  const user = signedIn(caller);
  authorize(user, 'guardrail.report', theOrg);
  const { sees_blocks, of } = await visibleTo(db, user, { agent, team });
  const end = until ?? (await store.clock(db));
  const start = since ?? new Date(Date.parse(end) - usual_ms).toISOString();
  if (start > end) throw new Problem('malformed', { detail: '`since` is after `until`.' });
  const asked = { of, since: start, until: end };
  return {
    since: start,
    until: end,
    counts: await store.counts(db, asked),
    blocks: sees_blocks ? await store.blocks(db, asked) : null,
  };
}

async function visibleTo(
  db: Database,
  user: SignedInCaller,
  { agent, team }: Pick<Asked, 'agent' | 'team'>,
): Promise<Pick<store.Asked, 'of'> & { sees_blocks: boolean }> {
  if ((agent === undefined) === (team === undefined))
    throw new Problem('malformed', { detail: 'A report needs `agent` or `team`, and not both.' });
  if (agent !== undefined) {
    const asset = await findAgent(db, agent, user);
    if (asset === undefined) throw new Problem('not_found');
    authorize(user, 'asset.read', asset);
    return { of: { agent_id: asset.id }, sees_blocks: decide(user, 'asset.write', asset).allowed };
  }
  const found = await findTeam(db, team ?? '');
  if (found === undefined) throw new Problem('not_found');
  authorize(user, 'guardrail.report_team', { kind: 'team', id: found.id, name: found.name });
  return { of: { team_id: found.id }, sees_blocks: true };
}
