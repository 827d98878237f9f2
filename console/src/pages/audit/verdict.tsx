import { Link } from '@tanstack/react-router';
import { count } from '../../parts/figures/figures.ts';
import { List } from '../../parts/list/list.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';

interface Finding {
  chain: string;
  seq: number | null;
  kind: string;
  detail: string;
}

interface VerdictProps {
  verdict: 'true_as_anchored' | 'unanchored' | 'damaged';
  chains: readonly { chain: string; entries: number; signed: number; anchored: number }[];
  damage: readonly Finding[];
  notices: readonly Finding[];
}

const said: Record<VerdictProps['verdict'], { meaning: Meaning; word: string; detail: string }> = {
  true_as_anchored: {
    meaning: 'good',
    word: 'true as anchored',
    detail: 'Every hash and signature holds, and the log continues the copy from outside.',
  },
  unanchored: {
    meaning: 'waiting',
    word: 'holds, not anchored',
    detail: 'Every hash and signature holds. Only a copy from outside shows that no entries are missing at the end.',
  },
  damaged: { meaning: 'failed', word: 'damaged', detail: 'The log was changed after it was written.' },
};

export function Verdict({ verdict, chains, damage, notices }: VerdictProps) {
  const { meaning, word, detail } = said[verdict];
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-section">
          <State meaning={meaning}>{word}</State>
        </span>
        <span>{detail}</span>
      </p>
      {damage.length > 0 && <Findings label="Damage" findings={damage} meaning="failed" />}
      <List
        label="Chains"
        rows={chains}
        keyOf={({ chain }) => chain}
        columns={[
          { header: 'Chain', width: 'minmax(0,1fr)', cell: ({ chain }) => chain },
          { header: 'Entries', width: '100px', align: 'right', cell: ({ entries }) => count(entries) },
          {
            header: 'Signed up to',
            width: '120px',
            isExtra: true,
            align: 'right',
            cell: ({ signed }) => count(signed),
          },
          {
            header: 'Anchored up to',
            width: '120px',
            isExtra: true,
            align: 'right',
            cell: ({ anchored }) => count(anchored),
          },
        ]}
        empty={<p className="text-quiet">The file has no entries.</p>}
      />
      {notices.length > 0 && <Findings label="Notices" findings={notices} meaning="waiting" />}
    </div>
  );
}

function Findings({ label, findings, meaning }: { label: string; findings: readonly Finding[]; meaning: Meaning }) {
  return (
    <ul aria-label={label} className="rounded border border-line bg-raised">
      {findings.map(({ chain, seq, kind, detail }) => (
        <li
          key={`${chain}/${seq} ${kind}`}
          className="grid grid-cols-[160px_minmax(0,1fr)_max-content] items-baseline gap-x-4 border-b border-line px-3 py-2 last:border-b-0 max-phone:grid-cols-1"
        >
          <State meaning={meaning}>{kind}</State>
          <span>{detail}</span>
          {seq !== null && (
            <Link
              to="/audit/$chain/$seq"
              params={{ chain, seq: String(seq) }}
              className="font-mono text-meta text-accent"
            >
              {chain}/{seq}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
