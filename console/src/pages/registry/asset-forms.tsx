import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { visibilities, type Visibility } from '@gantry/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SvcLine } from '../../parts/copy.tsx';
import { Choice, Field, Form } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask, send } from '../../server.ts';
import type { AssetDetail } from './asset-actions.tsx';
import { readers } from './kinds.ts';
import { tagsIn } from './tags.ts';

interface FormProps {
  asset: AssetDetail;
  onDone: () => void;
}

// An agent has no such form: its project decides.
const paramsOf = ({ kind, name }: AssetDetail) => ({ kind: kind as ConfigOnlyKind, name });

export function WordsForm({ asset, onDone }: FormProps) {
  const params = paramsOf(asset);
  const { description, tags } = asset;
  const edit = useSend('registry.edit', {
    says: () => `${asset.ref} has a new description or tags`,
    undo: async () => await send('registry.edit', { params, body: { description, tags } }),
  });
  return (
    <Form
      error={edit.error}
      isSending={edit.isPending}
      send="Save"
      onCancel={onDone}
      onSend={({ description: text = '', tags: written = '' }) =>
        edit.mutate({ params, body: { description: text, tags: tagsIn(written) } }, { onSuccess: onDone })
      }
    >
      <Field name="description" label="Description" defaultValue={description} maxLength={1000} />
      <Field name="tags" label="Tags" defaultValue={tags.join(', ')} help="Separated by commas." />
      <SvcLine line={`svc registry ${asset.kind} edit ${asset.name} --description … --tags …`} />
    </Form>
  );
}

export function VisibilityForm({ asset, onDone }: FormProps) {
  const { kind, name, ref } = asset;
  const params = { kind, name };
  const before = asset.visibility;
  const change = useSend('registry.set_visibility', {
    changes: ['permissions'],
    says: ({ visibility }) => `${ref} is read by ${readers[visibility]}`,
    undo: async () => await send('registry.set_visibility', { params, body: { visibility: before } }),
  });
  return (
    <Form
      error={change.error}
      isSending={change.isPending}
      send="Change who may read it"
      onCancel={onDone}
      onSend={({ visibility }) =>
        // One of the options.
        change.mutate({ params, body: { visibility: visibility as Visibility } }, { onSuccess: onDone })
      }
    >
      <Choice
        name="visibility"
        label="Readers"
        defaultValue={before}
        options={visibilities.map((value) => ({ value, label: `${value}: ${readers[value]}` }))}
        help="Replaces the entries of the organisation and of the team. Entries of single people stay."
      />
      <SvcLine line={`svc registry ${kind} edit ${name} --visibility …`} />
    </Form>
  );
}

export function TransferForm({ asset, onDone }: FormProps) {
  const { kind, name, ref, team, owner } = asset;
  const params = { kind, name };
  const { data: me } = useQuery(ask('auth.me', {}));
  const transfer = useSend('registry.transfer', {
    changes: ['agents', 'permissions', 'keys'],
    says: (after) => `${ref} belongs to ${after.owner} in team ${after.team}`,
    undo: async () => await send('registry.transfer', { params, body: { team, owner } }),
  });
  return (
    <Form
      error={transfer.error}
      isSending={transfer.isPending}
      send={`Transfer ${name}`}
      onCancel={onDone}
      onSend={({ team: to = '', owner: address = '' }) =>
        transfer.mutate({ params, body: { team: to, owner: address } }, { onSuccess: onDone })
      }
    >
      <Choice
        name="team"
        label="Team"
        defaultValue={team}
        options={[...new Set([team, ...(me?.teams.map((each) => each.name) ?? [])])]}
        help="You need the right to create assets there."
      />
      <Field name="owner" label="Owner" type="email" defaultValue={owner} help="An active member of the team." />
      <SvcLine line={`svc registry ${kind} transfer ${name} --team … --owner …`} />
    </Form>
  );
}

/** It cannot be undone, so its name is asked for. */
export function DeleteForm({ asset, onDone }: FormProps) {
  const params = paramsOf(asset);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const isModel = asset.kind === 'model';
  const { data: users } = useQuery({ ...ask('registry.used_by', { params }), enabled: isModel });
  const breaks = [...(users?.assets ?? []), ...(users?.settings ?? [])];
  const others = users?.hidden ?? 0;
  const isUsed = isModel && breaks.length + others > 0;
  const remove = useSend('registry.delete', { changes: ['models'], says: () => `${asset.ref} is deleted` });
  const isMissing = typed !== asset.name || (isModel && users === undefined) || (isUsed && reason.trim() === '');
  return (
    <Form
      error={remove.error}
      isSending={remove.isPending || isMissing}
      send={`Delete ${asset.ref}`}
      look="danger"
      onCancel={onDone}
      onSend={() =>
        remove.mutate(
          { params, query: isUsed ? { force: 'true', reason } : {} },
          { onSuccess: () => void navigate({ to: '/registry', search: { kind: asset.kind } }) },
        )
      }
    >
      <p>
        All {asset.versions.length} versions are deleted. Audit entries stay. An asset that something refers to is kept.
      </p>
      {isUsed && (
        <p role="alert" className="text-waiting">
          The calls of {[...breaks, ...(others === 0 ? [] : [`${others} that you may not read`])].join(', ')} then fail.
        </p>
      )}
      {isUsed && (
        <Field
          name="reason"
          label="Why it is removed all the same"
          help="The audit log has it."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      <Field
        name="typed"
        label={`Type ${asset.name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <SvcLine
        line={
          isUsed
            ? `svc model remove ${asset.name} --force --reason "…"`
            : `svc registry ${asset.kind} delete ${asset.name}`
        }
      />
    </Form>
  );
}
