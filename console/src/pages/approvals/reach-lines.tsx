// What an asset reaches, the widest first, in the order of the service. A line without a limit is amber.
import { reachMeanings, type ReachLine } from '@gantry/contract/assets/reach.ts';
import { AssetLink } from '../agents/asset-link.tsx';

export function ReachLines({ reach }: { reach: readonly ReachLine[] }) {
  if (reach.length === 0)
    return (
      <p className="rounded border border-line bg-raised px-3 py-2.5 text-quiet">
        It reaches no secret, model, address or other asset.
      </p>
    );
  return (
    <ul className="rounded border border-line bg-raised">
      {reach.map((reached) => (
        <Line key={`${reached.kind} ${reached.name} ${reached.change}`} reached={reached} />
      ))}
    </ul>
  );
}

function Line({ reached }: { reached: ReachLine }) {
  const { kind, name, unbounded, change, before, after, about } = reached;
  const { sign, look, word } = changes[change];
  const versions = before === after ? after : [before, after].filter((version) => version !== null).join(' → ');
  const tone = change === 'removed' ? 'line-through' : unbounded ? 'text-waiting' : '';
  return (
    <li className="grid grid-cols-[14px_104px_minmax(0,1fr)] gap-x-2 border-b border-line px-3 py-2 last:border-b-0">
      <span className={`font-mono ${look}`} title={word}>
        {sign}
        <span className="sr-only">{word}</span>
      </span>
      <span className="text-quiet">{kinds[kind] ?? kind.replaceAll('-', ' ')}</span>
      <span className="min-w-0">
        <span className={`font-strong break-words ${tone}`}>{isAsset(reached) ? <AssetLink at={name} /> : name}</span>{' '}
        <span className="text-quiet">{versions}</span>
        {about !== null && <span className="block break-words">{about}</span>}
        <span className="block text-meta text-quiet">{meaningOf(reached)}</span>
      </span>
    </li>
  );
}

/** A model is named as a call names it, which may be an alias. */
const isAsset = ({ name }: ReachLine) => name.includes('/');

const kinds: Partial<Record<ReachLine['kind'], string>> = { internet: 'network', models: 'models' };

const changes: Record<ReachLine['change'], { sign: string; look: string; word: string }> = {
  same: { sign: ' ', look: 'text-quiet', word: 'as before' },
  added: { sign: '+', look: 'text-good', word: 'new' },
  changed: { sign: '~', look: 'text-waiting', word: 'changed' },
  removed: { sign: '−', look: 'text-failed', word: 'removed' },
  widened: { sign: '+', look: 'text-waiting', word: 'widened' },
  narrowed: { sign: '~', look: 'text-good', word: 'narrowed' },
};

function meaningOf({ kind, change, instead_of }: ReachLine): string {
  const until_now = instead_of.join(', ');
  if (change === 'removed') return 'It no longer reaches this.';
  if (change === 'changed') return 'Its content is another one.';
  if (change === 'narrowed') return `Narrowed: until now it reached ${until_now}.`;
  if (change === 'widened') return `Widened: until now it reached only ${until_now}. ${reachMeanings[kind]}`;
  return reachMeanings[kind];
}
