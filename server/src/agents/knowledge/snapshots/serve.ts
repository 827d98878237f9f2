// Which snapshot serves: a person moves it to another one. That is how one goes back, and how a new snapshot is approved where the base asks for it.
import type { KnowledgeSnapshot } from '@gantry/contract/agents/knowledge.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findVersion } from '../../../assets/registry/find.ts';
import { holdAsset } from '../../../assets/registry/load-asset.ts';
import { baseConfig, builtOver, partOf } from '../searched.ts';
import * as store from '../snapshot-store.ts';
import { loadBase, loadSnapshot, printSnapshot } from './list-snapshots.ts';
import { requireChunked } from './require-chunked.ts';

/** Throws `own_request` and `index_behind`. A snapshot that serves already changes nothing. */
export async function serveSnapshot(
  db: Database,
  caller: Caller,
  { name, number }: { name: string; number: number },
): Promise<KnowledgeSnapshot> {
  const user = signedIn(caller);
  const base = await loadBase(db, user, name);
  const grant = authorize(user, 'asset.write', base);
  const snapshot = await loadSnapshot(db, base, number);
  const newest = await findVersion(db, base.id, 'latest');
  const { approve } = await baseConfig(db, base, newest?.digest ?? snapshot.config);
  if (approve) authorize(user, 'approval.decide', { ...base.team, kind: 'team' });
  if (approve && snapshot.made_by === user.label)
    throw new Problem('own_request', {
      detail: `You have made snapshot ${number} of ${base.ref}, and the base asks for another person.`,
      hint: `Ask another admin of team:${base.team.name}: svc kb serve ${name} ${number}`,
    });
  for (const { index, config } of [{ index: base, config: undefined }, ...(await builtOver(db, base))])
    await requireChunked(db, { part: await partOf(db, { index, base, snapshot, config }), by: index, to: 'serve' });
  await change(db, grant, 'knowledge.served', async (tx, note) => {
    authorize(user, 'asset.write', await holdAsset(tx, base.id, user));
    const [before] = await store.servingOf(tx, [base.id]);
    if (before?.id === snapshot.id) return;
    await store.serve(tx, base.id, snapshot.id);
    note({ snapshot: number, version: snapshot.version, digest: snapshot.digest, before: before?.number ?? null });
  });
  return printSnapshot(await loadSnapshot(db, base, number), true);
}
