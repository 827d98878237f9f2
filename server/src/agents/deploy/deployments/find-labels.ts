// The names behind the ids of spans, for a collector of traces. Only this folder reads revisions.
import type { Reader } from '../../../ground/database/database.ts';
import type { FindLabels } from '../../../models/traces/export.ts';
import { labels, type LabelIds } from '../label-store.ts';

export function labelsFrom(db: Reader): FindLabels {
  return async (ids) => {
    const rows = await labels(db, ids.map(pairOf));
    const found = new Map(rows.map((row) => [JSON.stringify(pairOf(row)), row]));
    return ids.map((one) => found.get(JSON.stringify(pairOf(one))));
  };
}

const pairOf = ({ agent_id, revision_id }: LabelIds): LabelIds => ({ agent_id, revision_id });
