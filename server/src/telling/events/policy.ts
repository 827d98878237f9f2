// Who is told of a change: the readers of the lists that show it.
import type { Operation, Visibility } from '@gantry/contract/roles.ts';
import { isReached } from '../../governance/access/allowed-assets.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { decide } from '../../governance/access/decide.ts';
import { grantFor } from '../../governance/access/reading.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { readsWords } from '../../agents/approvals/policy.ts';
import { isListed, readsBudget, type OfAccount, type OfScope } from '../../models/keys/policy.ts';
import { isListedOfTeam } from '../../people/principals/policy.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { isSecretListed } from '../../assets/secrets/policy.ts';

/** What a change is about, by immutable ids. */
export type About =
  | { rule: 'asset'; asset_id: string }
  | { rule: 'deleted_asset'; ref: string; team: string; visibility: Visibility; actor_id: string | null }
  | { rule: 'approval'; asset_id: string; submitted_by: string }
  | { rule: 'key'; key: OfScope }
  | { rule: 'budget'; account: OfAccount; asset_id: string | null }
  | { rule: 'team_secret'; team: { id: string; name: string } }
  | { rule: 'team'; operation: 'team.read' | 'group.read' | 'principal.read'; team: { id: string; name: string } }
  | { rule: 'notification'; user_id: string }
  | { rule: 'user'; user_id: string }
  | { rule: 'org'; operation: Operation };

/** The asset whose entries the rule needs. */
export function assetOf(about: About): string | undefined {
  return 'asset_id' in about ? (about.asset_id ?? undefined) : undefined;
}

/** `asset` is the one of assetOf(), if the caller may read it. */
export function mayReadChange(caller: SignedInCaller, about: About, asset: AssetRecord | undefined): boolean {
  switch (about.rule) {
    case 'asset':
      return asset !== undefined;
    case 'deleted_asset':
      return couldRead(caller, about);
    case 'approval':
      return asset !== undefined && readsWords(caller, about, asset);
    case 'key':
      return isListed(caller, about.key);
    case 'budget':
      return (
        readsBudget(caller, about.account) &&
        (about.asset_id === null ||
          asset !== undefined ||
          grantFor(caller, 'read_costs', about.account.team_id) !== undefined)
      );
    case 'team_secret':
      return isSecretListed(caller, { team_id: about.team.id, team: about.team.name });
    case 'team':
      return isListedOfTeam(caller, about.operation, about.team);
    case 'notification':
      return caller.id === about.user_id;
    case 'user':
      return caller.id === about.user_id || decide(caller, 'user.list', theOrg).allowed;
    case 'org':
      return decide(caller, about.operation, theOrg).allowed;
  }
}

/** The entries of a deleted asset are gone. Its visibility says what they were for the team and the organisation. */
function couldRead(
  caller: SignedInCaller,
  { ref, team, visibility, actor_id }: Extract<About, { rule: 'deleted_asset' }>,
): boolean {
  if (!isReached(caller, ref)) return false;
  if (caller.id === actor_id || visibility === 'org') return true;
  const membership = caller.memberships.find((one) => one.team === team);
  if (caller.kind === 'user' && (caller.role === 'admin' || membership?.role === 'admin')) return true;
  return visibility === 'team' && membership !== undefined;
}
