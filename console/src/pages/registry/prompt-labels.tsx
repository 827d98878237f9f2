// The labels of a prompt: which version each means, its move to another one, and the way back.
import type { LabelMoved, PromptLabel } from '@gantry/contract/agents/prompts.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import type { AssetDetail } from './asset-actions.tsx';
import { MoveLabel } from './move-label.tsx';

export function PromptLabels({ asset }: { asset: AssetDetail }) {
  const params = { name: asset.name };
  const { data: labels, error } = useQuery(ask('prompts.labels', { params }));
  const { data: moves } = useQuery(ask('prompts.label_moves', { params, query: { limit: 20 } }));
  const [moving, setMoving] = useState<string>();
  return (
    <Section title="Labels" aside="An agent that names a label reads the version that it means now.">
      {error !== null && <Refusal error={error} />}
      {labels === undefined && error === null && <div className="skeleton h-16" />}
      {labels?.length === 0 && <p className="text-quiet">No label yet. Agents name versions.</p>}
      <ul className="flex flex-col gap-2">
        {labels?.map((label) => (
          <Label
            key={label.label}
            name={asset.name}
            label={label}
            isFirst={moves?.items.find((move) => move.label === label.label)?.from_version === null}
            onMove={() => setMoving(label.label)}
          />
        ))}
      </ul>
      <div className="mt-2">
        <Button onClick={() => setMoving('')}>New label…</Button>
      </div>
      {moves !== undefined && moves.items.length > 0 && (
        <div className="mt-4">
          <List
            label="Moves of labels"
            columns={columns}
            rows={moves.items}
            keyOf={({ label, moved_at }) => `${label} ${moved_at}`}
            empty={null}
          />
        </div>
      )}
      {moving !== undefined && (
        <MoveLabel
          asset={asset}
          label={moving}
          from={labels?.find(({ label }) => label === moving)?.version}
          onClose={() => setMoving(undefined)}
        />
      )}
    </Section>
  );
}

interface LabelProps {
  name: string;
  label: PromptLabel;
  /** It was set once, so there is no move to undo. */
  isFirst: boolean;
  onMove: () => void;
}

function Label({ name, label: { label, version, moved_by, moved_at }, isFirst, onMove }: LabelProps) {
  const undo = useSend('prompts.move_label', { says: (now) => `${label} means ${now.version} again` });
  return (
    <li className="rounded border border-line bg-raised px-3 py-2" aria-label={label}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-strong">{label}</span>
        <span>means {version}</span>
        <span className="text-meta text-quiet">
          since <When at={moved_at} />, by {moved_by}
        </span>
        <span className="ml-auto flex gap-2">
          <Button onClick={onMove}>Move…</Button>
          {!isFirst && (
            <Button
              disabled={undo.isPending}
              onClick={() => undo.mutate({ params: { name, label }, body: { from: version } })}
            >
              Undo the last move
            </Button>
          )}
        </span>
      </div>
      {undo.error !== null && <Refusal error={undo.error} />}
    </li>
  );
}

const columns: readonly Column<LabelMoved>[] = [
  { header: 'Label', width: 'minmax(0,1fr)', cell: ({ label }) => label },
  { header: 'From', width: '90px', cell: ({ from_version }) => from_version ?? '-' },
  { header: 'To', width: '90px', cell: ({ version }) => version },
  { header: 'By', width: 'minmax(0,1fr)', isExtra: true, cell: ({ moved_by }) => moved_by },
  { header: 'Moved', width: '90px', cell: ({ moved_at }) => <When at={moved_at} /> },
];
