// What the commands about an asset's ACL have in common: how assets and actions are typed, and the entries that are there.
import type { Permission } from '@gantry/contract/permissions.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { actions as allActions, type Action, type AssetKind } from '@gantry/contract/roles.ts';
import { text, type Input } from './command.ts';
import { writePrincipal } from './principal.ts';
import { misuse } from './refusal.ts';
import type { Session } from './session.ts';

export const assetFlag = needed('The asset', 'agents/<name>');
export const principalFlag = needed('team:<name>, user:<e-mail>, or org', 'who');

/** A flag that cannot be left out. */
function needed(summary: string, placeholder: string): Input<string> {
  return {
    ...text(summary, placeholder),
    read(given, name) {
      if (given === undefined) throw misuse(`${name} is needed`);
      return String(given);
    },
  };
}

export function actionsFlag(summary: string): Input<Action[] | undefined> {
  return {
    ...text(`${summary}: ${allActions.join(', ')}`, 'list'),
    read: (given, name) =>
      given === undefined
        ? undefined
        : String(given)
            .split(',')
            .map((word) => readAction(word, name)),
  };
}

function readAction(word: string, name: string): Action {
  const action = allActions.find((each) => each === word.trim());
  if (action === undefined) throw misuse(`${name} takes ${allActions.join(', ')}, not "${word}"`);
  return action;
}

export interface Resource {
  resource_type: AssetKind;
  resource_id: string;
}

export function readAsset(given: string): Resource {
  const ref = parseRef(given);
  if (ref === undefined) throw misuse(`"${given}" is not an asset`, 'Write it like agents/greeter.');
  return { resource_type: ref.kind, resource_id: ref.name };
}

export async function entriesOf(session: Session, resource: Resource): Promise<Permission[]> {
  const entries: Permission[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { ...resource, limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await session.call('permissions.list', { query });
    entries.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === undefined) return entries;
  }
}

export function entryOf(
  entries: readonly Permission[],
  principal: Pick<Permission, 'principal_type' | 'principal_id'>,
): Permission | undefined {
  const who = writePrincipal(principal);
  return entries.find((entry) => writePrincipal(entry) === who);
}
