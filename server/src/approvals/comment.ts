import type { Comment } from '@gantry/contract/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import * as store from './comment-store.ts';
import { readsWords } from './policy.ts';
import { loadRequest } from './show.ts';

// A request shows all of them at once.
const most = 200;

/** Says something about a request, decided or not, to those who read what it says. Nothing takes it away again. */
export async function comment(db: Database, caller: Caller, id: string, message: string): Promise<Comment> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  const grant = authorize(user, 'approval.comment', asset);
  if (!readsWords(user, row, asset)) {
    const reason =
      'Only who reads what a request says comments on it: the team, the owner, the submitter, platform admins.';
    throw new Refusal({ code: 'forbidden', reason }, 'approval.comment', asset);
  }
  return await change(db, grant, 'approval.commented', async (tx, note) => {
    const made = await store.insert(tx, { approval_id: id, author_id: user.id, message, most });
    if (made === undefined)
      throw new Problem('conflict', {
        detail: `This request has ${most} comments, which is the most it may have.`,
        hint: `Go on in a request of its own: svc submit --asset ${asset.ref}`,
      });
    note({ approval_id: id, comment_id: made.id, version: row.version, message });
    return { ...made, author: user.label, message };
  });
}
