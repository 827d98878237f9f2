import type { ReactNode } from 'react';

interface ChangeTableProps {
  /** What the rows are. */
  of: string;
  rows: readonly { name: string; before: string | null; after: string | null }[];
  empty: ReactNode;
}

/** Names with their values before and after. */
export function ChangeTable({ of, rows, empty }: ChangeTableProps) {
  if (rows.length === 0) return empty;
  return (
    <div className="overflow-x-auto rounded border border-line bg-raised">
      <table className="w-full table-fixed text-meta max-phone:min-w-[36rem]">
        <thead>
          <tr className="h-8 border-b border-line text-left text-quiet">
            <th className="w-2/5 px-3 font-normal">{of}</th>
            <th className="px-3 font-normal">Before</th>
            <th className="px-3 font-normal">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, before, after }) => (
            <tr key={name} className="border-b border-line align-top last:border-b-0">
              <th scope="row" className="px-3 py-1.5 text-left break-words">
                {name}
              </th>
              <Value value={before} look="bg-failed-soft" absent="new" />
              <Value value={after} look="bg-good-soft" absent="removed" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ value, look, absent }: { value: string | null; look: string; absent: string }) {
  return (
    <td className="px-3 py-1.5">
      {value === null ? (
        <span className="text-quiet">{absent}</span>
      ) : (
        <span className={`rounded-small px-1 font-mono break-words whitespace-pre-wrap ${look}`}>{value}</span>
      )}
    </td>
  );
}
