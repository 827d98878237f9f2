import type { ReactNode } from 'react';

interface ChangeTableProps {
  /** What the rows are. */
  of: string;
  rows: readonly { name: string; before: string | null; after: string | null }[];
  empty: ReactNode;
}

const line = 'grid grid-cols-[minmax(0,4fr)_minmax(0,3fr)_minmax(0,3fr)] gap-x-6 gap-y-1 px-3 max-phone:grid-cols-1';

/** Names with their values before and after. On a phone a value stands below the other. */
export function ChangeTable({ of, rows, empty }: ChangeTableProps) {
  if (rows.length === 0) return empty;
  return (
    <div role="table" className="rounded border border-line bg-raised text-meta">
      <div role="row" className={`${line} h-8 items-center border-b border-line text-quiet max-phone:sr-only`}>
        <span role="columnheader">{of}</span>
        <span role="columnheader">Before</span>
        <span role="columnheader">After</span>
      </div>
      {rows.map(({ name, before, after }) => (
        <div key={name} role="row" className={`${line} border-b border-line py-1.5 last:border-b-0`}>
          <span role="rowheader" className="font-strong break-words">
            {name}
          </span>
          <Value label="Before" value={before} look="bg-failed-soft" absent="new" />
          <Value label="After" value={after} look="bg-good-soft" absent="removed" />
        </div>
      ))}
    </div>
  );
}

interface ValueProps {
  label: string;
  value: string | null;
  look: string;
  absent: string;
}

function Value({ label, value, look, absent }: ValueProps) {
  return (
    <div role="cell" className="flex min-w-0 gap-2">
      <span aria-hidden className="w-12 shrink-0 text-quiet phone:hidden">
        {label}
      </span>
      <span className="min-w-0">
        {value === null ? (
          <span className="text-quiet">{absent}</span>
        ) : (
          <span className={`rounded-small px-1 font-mono break-words whitespace-pre-wrap ${look}`}>{value}</span>
        )}
      </span>
    </div>
  );
}
