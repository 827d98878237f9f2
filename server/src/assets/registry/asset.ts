import { printRef } from '@gantry/contract/refs.ts';
import type { AssetKind, Visibility } from '@gantry/contract/roles.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import type { AssetRowWithEntries } from './store.ts';
import { words } from './words.ts';

/** An asset with its ACL: the input of a decision, and of its display. */
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

export function toAssetRecord({ kind, team_id, team, ...fields }: AssetRowWithEntries): AssetRecord {
  return {
    ...fields,
    kind: 'asset',
    asset_kind: kind,
    ref: printRef({ kind, name: fields.name }),
    team: { id: team_id, name: team },
  };
}

export interface Searchable {
  name: string;
  team: string;
  description: string;
  tags: readonly string[];
  framework: string | null;
}

/** The text that the full-text search matches. */
export function searchWords({ name, team, description, tags, framework }: Searchable): string {
  return words([name, team, description, ...tags, framework ?? ''].join(' ')).join(' ');
}
