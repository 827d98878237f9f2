// The vectors of one immutable index, in memory that the threads of the process share.

/** As they are stored. */
export interface StoredVectors {
  /** Of each vector, in their order. */
  ids: string[];
  /** Of each vector: what hides it, such as the id of its document. */
  groups: string[];
  /** One after the other, each of length 1. */
  vectors: Float32Array;
  dimensions: number;
}

export interface VectorIndex extends StoredVectors {
  vectors: Float32Array<SharedArrayBuffer>;
  /** The rows of each group. */
  rows_of: ReadonlyMap<string, readonly number[]>;
}

export function vectorIndex({ ids, groups, vectors, dimensions }: StoredVectors): VectorIndex {
  if (!(dimensions > 0) || vectors.length !== ids.length * dimensions || groups.length !== ids.length)
    throw new RangeError(`${vectors.length} numbers are no ${ids.length} vectors of ${dimensions}`);
  const shared = new Float32Array(new SharedArrayBuffer(vectors.byteLength));
  shared.set(vectors);
  const rows_of = new Map<string, number[]>();
  for (const [row, group] of groups.entries()) {
    const rows = rows_of.get(group);
    if (rows === undefined) rows_of.set(group, [row]);
    else rows.push(row);
  }
  return { ids, groups, vectors: shared, dimensions, rows_of };
}

/** Undefined: every row is visible. */
export function maskOf({ ids, rows_of }: VectorIndex, hidden: readonly string[]): Uint8Array | undefined {
  if (hidden.length === 0) return undefined;
  const visible = new Uint8Array(ids.length).fill(1);
  for (const group of hidden) for (const row of rows_of.get(group) ?? []) visible[row] = 0;
  return visible;
}
