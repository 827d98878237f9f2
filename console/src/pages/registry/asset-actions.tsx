import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { IconButton } from '../../parts/action/button.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../parts/action/menu.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { DeleteForm, TransferForm, VisibilityForm, WordsForm } from './asset-forms.tsx';

export type AssetDetail = Answer<Endpoints['registry.show']>;

const forms = {
  words: { title: 'Description and tags', Form: WordsForm },
  visibility: { title: 'Who may read it', Form: VisibilityForm },
  transfer: { title: 'Transfer', Form: TransferForm },
  delete: { title: 'Delete', Form: DeleteForm },
} as const;

export function AssetActions({ asset }: { asset: AssetDetail }) {
  const { kind, name, can } = asset;
  const navigate = useNavigate();
  return (
    <>
      <AssetMenu asset={asset} />
      {kind !== 'agent' && kind !== 'skill' && (
        <Action
          can={can['registry.edit']}
          svc={`svc registry ${kind} edit ${name}`}
          look="main"
          onPress={() => void navigate({ to: '/registry/$kind/new', params: { kind }, search: { of: name } })}
        >
          New version
        </Action>
      )}
    </>
  );
}

/** `children` come first. */
export function AssetMenu({ asset, children }: { asset: AssetDetail; children?: ReactNode }) {
  const { kind, name, ref, can } = asset;
  const params = { kind, name };
  const [open, setOpen] = useState<keyof typeof forms>();
  const publish = useSend('registry.publish', {
    says: () => `${ref} is published: other teams find it`,
    undo: async () => await send('registry.unpublish', { params }),
  });
  const unpublish = useSend('registry.unpublish', {
    says: () => `${ref} is no longer in the lists of other teams`,
    undo: async () => await send('registry.publish', { params }),
  });
  const Opened = open && forms[open];
  return (
    <>
      <Menu trigger={<IconButton label="More actions" icon={<Ellipsis size={16} />} />}>
        {children}
        {asset.published ? (
          <MenuItem can={can['registry.unpublish']} onPress={() => unpublish.mutate({ params })}>
            Unpublish
          </MenuItem>
        ) : (
          <MenuItem can={can['registry.publish']} onPress={() => publish.mutate({ params })}>
            Publish
          </MenuItem>
        )}
        <MenuItem can={can['registry.set_visibility']} onPress={() => setOpen('visibility')}>
          Who may read it…
        </MenuItem>
        {kind !== 'agent' && kind !== 'skill' && (
          <MenuItem can={can['registry.edit']} onPress={() => setOpen('words')}>
            Description and tags…
          </MenuItem>
        )}
        <MenuItem can={can['registry.transfer']} onPress={() => setOpen('transfer')}>
          Transfer…
        </MenuItem>
        {kind !== 'agent' && <MenuLine />}
        {kind !== 'agent' && (
          <MenuItem can={can['registry.delete']} isDanger onPress={() => setOpen('delete')}>
            Delete…
          </MenuItem>
        )}
      </Menu>
      {Opened !== undefined && (
        <Dialog title={`${Opened.title}: ${ref}`} isOpen onClose={() => setOpen(undefined)}>
          <Opened.Form asset={asset} onDone={() => setOpen(undefined)} />
        </Dialog>
      )}
    </>
  );
}
