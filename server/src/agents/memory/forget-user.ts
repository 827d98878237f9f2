// A user is forgotten: one transaction erases what each feature keeps of them, and its entry in the log is the receipt.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Forgets } from '../../governance/access/forgets.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { findUserOfAnyTime } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';

export interface ForgetParts {
  db: Database;
  forgets: readonly Forgets[];
}

interface ForgetReceipt {
  user: string;
  erased: Record<string, number>;
  entry: string | null;
}

/** Everybody for oneself, and platform admins for all, also for a user who was removed. Throws `not_found`, or `conflict` while a call of the user is open. */
export async function forgetUser(
  { db, forgets }: ForgetParts,
  { caller, id }: { caller: Caller; id: string },
): Promise<ForgetReceipt> {
  const asking = signedIn(caller);
  const grant = authorize(asking, 'user.forget', theOrg);
  if (asking.id !== id) authorize(asking, 'user.remove', theOrg);
  const user = await findUserOfAnyTime(db, id);
  if (user === undefined) throw new Problem('not_found');
  const erased: Record<string, number> = {};
  await change(db, grant, 'memory.forgotten', async (tx, note) => {
    for (const { what, forget } of forgets) erased[what] = (erased[what] ?? 0) + (await forget(tx, user));
    note({ user: user.email, erased });
  });
  const receipt = caller.origin.receipts.at(-1);
  return { user: user.email, erased, entry: receipt === undefined ? null : `${receipt.chain}/${receipt.seq}` };
}
