// Shared by the commands about an asset's ACL: the inputs for assets and actions, and the existing entries.
import type { Permission } from '@gantry/contract/people/permissions.ts';
import { parseRef, printGrantee } from '@gantry/contract/refs.ts';
import { actions as allActions, type Action, type AssetKind } from '@gantry/contract/roles.ts';
import { choice, needed, text, type Input } from '../command.ts';
import { takePages } from '../pages.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export const assetFlag = needed(text('The asset', 'agents/<name>'));
export const principalFlag = needed(
  text('team:<name>, user:<e-mail>, group:<name>, principal:<name>, agent:<name>, orchestration:<name>, or org', 'who'),
);

export function actionFlag(summary: string): Input<Action> {
  return needed(choice(summary, allActions), `Name one of ${allActions.join(', ')}.`);
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

// Far more than an asset has.
const max_entries = 10_000;

export async function entriesOf(session: Session, resource: Resource): Promise<Permission[]> {
  return await takePages(session, max_entries, (query) =>
    session.call('permissions.list', { query: { ...resource, ...query } }),
  );
}

export function entryOf(
  entries: readonly Permission[],
  principal: Pick<Permission, 'principal_type' | 'principal_id'>,
): Permission | undefined {
  const who = printGrantee(principal);
  return entries.find((entry) => printGrantee(entry) === who);
}
