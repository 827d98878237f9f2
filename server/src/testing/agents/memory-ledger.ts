import type { Ledger, OutsideResource, Recorded } from '../../agents/deploy/targets/outside.ts';

export interface MemoryLedger extends Ledger {
  /** In their order, also repeated ones. */
  records: OutsideResource[];
}

/** For tests of a platform without a database. `onRecord` may refuse one. */
export function memoryLedger(onRecord: (resource: OutsideResource) => void = () => {}): MemoryLedger {
  const open = new Map<string, Recorded>();
  const keyOf = ({ kind, name }: OutsideResource) => `${kind} ${name}`;
  const records: OutsideResource[] = [];
  return {
    records,
    record: async ({ kind, name }, of, described) => {
      onRecord({ kind, name });
      records.push({ kind, name });
      const before = open.get(keyOf({ kind, name }))?.described;
      const now = described === undefined && before === undefined ? undefined : { ...before, ...described };
      // As the database has it.
      const stored = now && (JSON.parse(JSON.stringify(now)) as Record<string, unknown>);
      open.set(keyOf({ kind, name }), { kind, name, revision_id: of?.revision_id ?? null, described: stored });
      await Promise.resolve();
    },
    removed: async (one) => await Promise.resolve(void open.delete(keyOf(one))),
    list: async () => await Promise.resolve([...open.values()]),
  };
}
