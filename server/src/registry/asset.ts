import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind, Visibility } from '@gantry/contract/roles.ts';
import type { AssetSubject, Entry } from '../access/subject.ts';
import type { AssetRow } from './store.ts';
import { words } from './words.ts';

/** An asset with its ACL: everything that a decision about it needs, and what is shown of it. */
export interface AssetRecord extends AssetSubject {
  asset_kind: AssetKind;
  name: string;
  /** E-mail. */
  owner: string;
  description: string;
  tags: string[];
  framework: string | null;
  visibility: Visibility;
  serving_version_id: string | null;
  created_at: string;
  updated_at: string;
}

export function toAssetRecord(row: AssetRow, entries: Entry[]): AssetRecord {
  const { kind, team_id, team, ...fields } = row;
  return {
    ...fields,
    kind: 'asset',
    asset_kind: kind,
    ref: printRef({ kind, name: row.name }),
    team: { id: team_id, name: team },
    entries,
  };
}

export interface Searchable {
  name: string;
  team: string;
  description: string;
  tags: readonly string[];
  framework: string | null;
}

/** What full-text search finds an asset by. */
export function searchWords({ name, team, description, tags, framework }: Searchable): string {
  return words([name, team, description, ...tags, framework ?? ''].join(' ')).join(' ');
}
