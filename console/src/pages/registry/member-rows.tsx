import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../parts/action/button.tsx';
import { ask } from '../../server.ts';

interface Row {
  key: number;
  name: string;
  ref: string;
}

/** The members of an orchestration: a name in it, and the agent behind it. Sends the field `agents` as JSON, which the form reads as YAML. */
export function MemberRows() {
  const agents = useQuery(ask('registry.list', { params: { kind: 'agent' }, query: { limit: 200 } }));
  const refs = agents.data?.items.map(({ ref }) => ref) ?? [];
  const [rows, setRows] = useState<readonly Row[]>([{ key: 0, name: '', ref: '' }]);
  const change = (key: number, next: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  const named = rows.filter(({ name, ref }) => name !== '' || ref !== '').map(({ name, ref }) => ({ name, ref }));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-strong">Members</legend>
      <input type="hidden" name="agents" value={named.length === 0 ? '' : JSON.stringify(named)} />
      {rows.map(({ key, name, ref }, index) => (
        <div key={key} className="flex gap-2">
          <input
            aria-label={`Name of member ${index + 1}`}
            placeholder="name in it, such as edit"
            value={name}
            onChange={(event) => change(key, { name: event.target.value })}
            className="field"
          />
          <select
            aria-label={`Agent of member ${index + 1}`}
            value={ref}
            onChange={(event) => change(key, { ref: event.target.value })}
            className="field"
          >
            <option value="">Agent…</option>
            {refs.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <IconButton
            label={`Remove member ${index + 1}`}
            icon={<X size={14} />}
            disabled={rows.length === 1}
            onClick={() => setRows(rows.filter((row) => row.key !== key))}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Plus size={14} />}
          onClick={() => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '', ref: '' }])}
        >
          Add a member
        </Button>
        <span className="text-meta text-quiet">Routes, fallbacks and inputs are fields of orchestration.yaml.</span>
      </div>
    </fieldset>
  );
}
