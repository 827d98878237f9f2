import { Empty } from '../../parts/page/page.tsx';

type Detail = Readonly<Record<string, unknown>>;

export const hasChanges = ({ before, after }: Detail) => before !== undefined || after !== undefined;

/** What changed, member by member; a removed value is struck out. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  const [old, now] = [partsOf(before), partsOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => textOf(old[name]) !== textOf(now[name]),
  );
  if (names.length === 0) return <Empty>Both are the same.</Empty>;
  return (
    <table className="w-full border-collapse rounded border border-line bg-raised text-left text-meta">
      <thead className="text-quiet">
        <tr className="border-b border-line">
          <th className="h-8 w-1/5 px-3 font-normal">Member</th>
          <th className="px-3 font-normal">Before</th>
          <th className="px-3 font-normal">After</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} className="border-b border-line align-top last:border-b-0">
            <td className="px-3 py-1.5">{name.replaceAll('_', ' ')}</td>
            <td className="px-3 py-1.5 break-all whitespace-pre-wrap text-failed">
              {old[name] === undefined || old[name] === null ? <Nothing /> : <del>{textOf(old[name])}</del>}
            </td>
            <td className="px-3 py-1.5 break-all whitespace-pre-wrap text-good">
              {now[name] === undefined || now[name] === null ? (
                <Nothing />
              ) : (
                <ins className="no-underline">{textOf(now[name])}</ins>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Nothing = () => <span className="text-quiet">nothing</span>;

function partsOf(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return { value };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
