// Entries of the governance chain → changes. The rows that an entry covers and its subject say what changed.
import type { ChangeKind } from '@gantry/contract/telling/events.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { visibilities, type Visibility } from '@gantry/contract/roles.ts';
import { isId } from '@gantry/contract/wire.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findBudgets } from '../../models/keys/accounts/account-owner.ts';
import { findAssets, findAssetsById, type AssetRecord } from '../../assets/registry/find.ts';
import type { About } from './policy.ts';
import * as store from './store.ts';
import type { EntryRow } from './store.ts';

export interface Change {
  kind: ChangeKind;
  id: string | null;
  name?: string;
  about: About;
}

/** In the order of the entries. */
export async function changesOf(db: Reader, entries: readonly EntryRow[]): Promise<Change[]> {
  if (entries.length === 0) return [];
  const found = await loadSubjects(db, entries);
  return entries.flatMap((entry) => changesOfEntry(entry, found));
}

type Subjects = Awaited<ReturnType<typeof loadSubjects>>;

async function loadSubjects(db: Reader, entries: readonly EntryRow[]) {
  const all = <T>(of: (entry: EntryRow) => readonly T[]): T[] => [...new Set(entries.flatMap(of))];
  const refs = all(({ asset }) => (asset === null ? [] : [asset]));
  const asked = refs.flatMap((ref) => parseRef(ref) ?? []).map((ref) => ({ ...ref, caller_id: null }));
  const [named, byId, requests, keys, budgets, teams, users] = await Promise.all([
    findAssets(db, asked),
    findAssetsById(db, all(rowsOf('asset')), null),
    store.requests(db, all(requestsOf)),
    store.keys(db, all(rowsOf('gateway_key'))),
    findBudgets(db, all(budgetsOf)),
    store.teams(
      db,
      all(({ team }) => (team === null ? [] : [team])),
    ),
    store.users(db, { ids: all(rowsOf('app_user')), emails: all(({ detail }) => textOf(detail['user'])) }),
  ]);
  const assets = [...byId, ...named.filter((asset) => asset !== undefined)];
  return {
    assets: new Map(assets.map((asset) => [asset.id, asset])),
    assetByRef: new Map(assets.map((asset) => [asset.ref, asset])),
    requests: new Map(requests.map((one) => [one.id, one])),
    keys: new Map(keys.map((one) => [one.id, one])),
    budgets,
    teamByName: new Map(teams.map((one) => [one.name, one])),
    users: new Map(users.flatMap((one) => [[one.id, one] as const, [one.email, one] as const])),
  };
}

function changesOfEntry(entry: EntryRow, found: Subjects): Change[] {
  const [noun = ''] = entry.event.split('.');
  return [
    ...assetChanges(entry, found),
    ...requestsOf(entry).flatMap((id): Change[] => {
      const request = found.requests.get(id);
      return request === undefined ? [] : [{ kind: 'approval', id, about: { rule: 'approval', ...request } }];
    }),
    ...deploymentChanges(entry, found),
    ...rowsOf('gateway_key')(entry).flatMap((id): Change[] => {
      const key = found.keys.get(id);
      return key === undefined ? [] : [{ kind: 'key', id, name: key.prefix, about: { rule: 'key', key } }];
    }),
    ...budgetsOf(entry).flatMap((id): Change[] => {
      const budget = found.budgets.get(id);
      if (budget === undefined) return [];
      const { name, account, agent_id } = budget;
      return [{ kind: 'budget', id, name, about: { rule: 'budget', account, asset_id: agent_id } }];
    }),
    ...(noun === 'secret' ? secretChanges(entry, found) : []),
    ...teamChanges(noun, entry, found),
    ...userChanges(entry, found),
    ...(rowsOf('org')(entry).length > 0
      ? [{ kind: 'org', id: null, about: { rule: 'org', operation: 'org.read' } } as const]
      : []),
    ...(noun === 'webhook'
      ? textOf(entry.detail['webhook']).map(
          (name) => ({ kind: 'webhook', id: null, name, about: { rule: 'org', operation: 'webhook.read' } }) as const,
        )
      : []),
  ];
}

/** Tables whose rows belong to the asset of their entry. */
const ofAsset = ['version', 'permission', 'route', 'revision'];

function assetChanges({ event, asset: ref, team, detail, targets, actor_id }: EntryRow, found: Subjects): Change[] {
  const { visibility } = detail;
  if (event === 'asset.deleted' && ref !== null && team !== null && isVisibility(visibility))
    return [{ kind: 'asset', id: null, name: ref, about: { rule: 'deleted_asset', ref, team, visibility, actor_id } }];
  const isOfAsset = /^(agent|deploy)/.test(event) || targets.some((one) => ofAsset.includes(one.split(':')[0] ?? ''));
  const own = ref !== null && isOfAsset ? found.assetByRef.get(ref) : undefined;
  const ids = targets.flatMap((one) => (one.startsWith('asset:') ? [one.slice('asset:'.length)] : []));
  const assets = new Set([...ids.map((id) => found.assets.get(id)), own].filter((one) => one !== undefined));
  return [...assets].map((asset) => ({ kind: 'asset', id: asset.id, name: asset.ref, about: aboutAsset(asset) }));
}

function deploymentChanges({ event, asset: ref, detail: { run_id } }: EntryRow, found: Subjects): Change[] {
  const asset = ref === null ? undefined : found.assetByRef.get(ref);
  if (!event.startsWith('deploy') || asset === undefined || !isId(run_id)) return [];
  return [{ kind: 'deployment', id: run_id, name: asset.ref, about: aboutAsset(asset) }];
}

function secretChanges(entry: EntryRow, found: Subjects): Change[] {
  const asset = entry.asset === null ? undefined : found.assetByRef.get(entry.asset);
  const team = entry.team === null ? undefined : found.teamByName.get(entry.team);
  const about: About | undefined =
    entry.asset !== null ? asset && aboutAsset(asset) : team && { rule: 'team_secret', team };
  const [id = null] = rowsOf('secret')(entry);
  return about === undefined ? [] : textOf(entry.detail['secret']).map((name) => ({ kind: 'secret', id, name, about }));
}

const teamNouns: Readonly<Record<string, 'team' | 'group' | 'principal'>> = {
  team: 'team',
  member: 'team',
  key_defaults: 'team',
  group: 'group',
  principal: 'principal',
};

function teamChanges(noun: string, entry: EntryRow, found: Subjects): Change[] {
  const kind = teamNouns[noun];
  if (kind === undefined || entry.team === null) return [];
  const team = found.teamByName.get(entry.team);
  if (kind === 'team') {
    // The readers of a deleted team were its members, who are none any more, and the platform admins.
    const about: About =
      team === undefined ? { rule: 'org', operation: 'user.list' } : { rule: 'team', operation: 'team.read', team };
    return [{ kind, id: team?.id ?? null, name: entry.team, about }];
  }
  if (team === undefined) return [];
  const [id = null] = rowsOf(kind === 'group' ? 'user_group' : 'service_principal')(entry);
  return textOf(entry.detail[kind]).map((name) => ({
    kind,
    id,
    name,
    about: { rule: 'team', operation: `${kind}.read`, team },
  }));
}

function userChanges(entry: EntryRow, { users }: Subjects): Change[] {
  const named = [...rowsOf('app_user')(entry), ...textOf(entry.detail['user'])].map((one) => users.get(one));
  return [...new Set(named.filter((one) => one !== undefined))].map(({ id, email }) => ({
    kind: 'user',
    id,
    name: email,
    about: { rule: 'user', user_id: id },
  }));
}

function requestsOf(entry: EntryRow): string[] {
  const { approval_id } = entry.detail;
  return [
    ...new Set([
      ...rowsOf('approval')(entry),
      ...(isId(approval_id) && entry.event.startsWith('approval') ? [approval_id] : []),
    ]),
  ];
}

function budgetsOf(entry: EntryRow): string[] {
  const { account_id } = entry.detail;
  return [...new Set([...rowsOf('budget')(entry), ...(isId(account_id) ? [account_id] : [])])];
}

/** The ids of the rows of a table that the entry covers. */
const rowsOf =
  (table: string) =>
  ({ targets }: EntryRow): string[] =>
    targets.flatMap((one) => (one.startsWith(`${table}:`) ? [one.slice(table.length + 1)] : []));

const aboutAsset = ({ id }: AssetRecord): About => ({ rule: 'asset', asset_id: id });
const textOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);
const isVisibility = (value: unknown): value is Visibility => visibilities.some((one) => one === value);
