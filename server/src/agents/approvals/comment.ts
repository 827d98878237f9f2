import type { Comment } from '@gantry/contract/agents/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { Asked } from './decide-request.ts';
import * as store from './comment-store.ts';
import { readsWords } from './policy.ts';
import { loadRequest } from './load-request.ts';

// A request shows all its comments at once.
export const most_comments = 200;

/** Adds a comment to a request, also to a decided one. Nothing deletes a comment. */
export async function comment(db: Database, caller: Caller, id: string, said: store.Said): Promise<Comment> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  const grant = authorize(user, 'approval.comment', asset);
  requireWords({ user, row, asset });
  return await change(db, grant, 'approval.commented', async (tx, note) => {
    const made = await store.insert(tx, { approval_id: id, author_id: user.id, most: most_comments, said });
    if (made === undefined) throw tooMany(asset);
    const { message, file, line } = said;
    const on = file === null ? {} : { file, line };
    note({ approval_id: id, comment_id: made.id, version: row.version, message, ...on });
    return { ...made, author: user.label, ...said };
  });
}

export function requireWords({ user, row, asset }: Asked): void {
  if (readsWords(user, row, asset)) return;
  const reason = 'Only the team, the owner, the submitter and platform admins may comment on this request.';
  throw new Refusal({ code: 'forbidden', reason }, 'approval.comment', asset);
}

export function tooMany({ ref }: { ref: string }): Problem {
  return new Problem('conflict', {
    detail: `This request has ${most_comments} comments, and that is the limit.`,
    hint: `Continue in a new request: svc submit --asset ${ref}`,
  });
}
