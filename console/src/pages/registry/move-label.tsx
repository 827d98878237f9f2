// The move of a label, with what agents would read instead.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { SvcLine } from '../../parts/copy.tsx';
import { ask, send } from '../../server.ts';
import { ChangeTable } from '../approvals/change-table.tsx';
import { printSetting } from '../approvals/print-setting.ts';
import type { AssetDetail } from './asset-actions.tsx';

interface MoveProps {
  asset: AssetDetail;
  /** Empty for a new one. */
  label: string;
  /** The version that it means now. */
  from: string | undefined;
  onClose: () => void;
}

export function MoveLabel({ asset: { name, ref, versions }, label, from, onClose }: MoveProps) {
  const others = versions.map(({ version }) => version).filter((version) => version !== from);
  const [to, setTo] = useState(others[0] ?? '');
  const move = useSend('prompts.move_label', {
    says: (now) => `${now.label} of ${ref} means ${now.version}`,
    undo: async (now, { params }) => await send('prompts.move_label', { params, body: { from: now.version } }),
    // The first move of a label has no version to go back to.
    hasUndo: () => from !== undefined,
  });
  return (
    <FormDialog
      title={from === undefined ? `New label of ${name}` : `Move ${label} of ${name}`}
      about="It takes effect with the next read of each agent that names it. A version without an approval needs one, unless you are an admin."
      wide={from !== undefined}
      send={from === undefined ? 'Set the label' : `Move it from ${from} to ${to}`}
      sending={{ error: move.error, isPending: move.isPending || to === '' }}
      onClose={onClose}
      onSend={({ label: typed = label }) =>
        move.mutate(
          { params: { name, label: typed }, body: { version: to, ...(from !== undefined && { from }) } },
          { onSuccess: onClose },
        )
      }
    >
      {from === undefined && <Field name="label" label="Label" required help="Such as production, in lower case." />}
      <Choice
        name="version"
        label="Version"
        value={to}
        options={others}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      {from !== undefined && to !== '' && <Difference name={name} from={from} to={to} />}
      <SvcLine line={`svc prompt label ${name} ${label === '' ? '…' : label} ${to}`} />
    </FormDialog>
  );
}

function Difference({ name, from, to }: { name: string; from: string; to: string }) {
  const { data } = useQuery(ask('registry.difference', { params: { kind: 'prompt', name }, query: { from, to } }));
  if (data === undefined) return <div className="skeleton h-16" />;
  return (
    <ChangeTable
      of="Setting"
      rows={data.changes.config.map(({ path, before, after }) => ({
        name: path,
        before: printSetting(before),
        after: printSetting(after),
      }))}
      empty={<p className="text-quiet">The texts are the same.</p>}
    />
  );
}
