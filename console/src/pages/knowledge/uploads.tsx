// The files that people sent to a knowledge base, and a place to send more.
import type { KnowledgeUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { File as FileIcon, Folder } from 'lucide-react';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { bytes, plural } from '../../parts/figures/figures.ts';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { DropZone } from '../../parts/form/drop-zone.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { askList, refresh, send } from '../../server.ts';
import type { AssetDetail } from '../registry/asset-actions.tsx';
import { chosenFiles, droppedFiles, type FileToSend } from './files-to-send.ts';
import { sendFiles, type SentFiles } from './send-files.ts';

/** Where its newest config takes uploads, for those who may change it. */
export function UploadsOf({ base: { name, config, can } }: { base: AssetDetail }) {
  const edit = can['registry.edit'];
  return config?.uploads === true && edit?.allowed === true && <Uploads name={name} can={edit} />;
}

function Uploads({ name, can }: { name: string; can: Allowed }) {
  const uploads = useInfiniteQuery(askList('knowledge.uploads', { params: { name }, query: { limit: 200 } }));
  const [now, setNow] = useState<string>();
  const [removed, setRemoved] = useState<string>();
  const sending = useMutation({
    mutationFn: async (read: () => Promise<FileToSend[]>) => {
      const files = await read();
      const before = await digestsOf(name);
      return await sendFiles(name, files, { before, onFile: (n, path) => setNow(`${n} of ${files.length}: ${path}`) });
    },
    onSettled: () => {
      setNow(undefined);
      refresh(['knowledge', 'home', 'audit']);
    },
    networkMode: 'always',
  });
  return (
    <Section title="Uploaded files" aside="the next refresh reads them">
      <DropZone
        label="Drop documents"
        says={sending.isPending ? `Sending ${now ?? '…'}` : 'Drop files or a folder here'}
        about="A file with the same path takes the place of the one before. Hidden files are left out."
        isBusy={sending.isPending}
        choices={[
          { label: 'Choose files', chooses: 'Files', icon: <FileIcon size={14} aria-hidden />, of: 'files' },
          { label: 'Choose a folder', chooses: 'A folder', icon: <Folder size={14} aria-hidden />, of: 'a folder' },
        ]}
        onDrop={(dropped) => sending.mutate(droppedFiles(dropped))}
        onChoose={(files) => sending.mutate(async () => await Promise.resolve(chosenFiles(files)))}
      />
      {sending.error !== null && <Refusal error={sending.error} />}
      {sending.data !== undefined && <Sent {...sending.data} />}
      <List
        label="Uploaded files"
        columns={columnsWith({ name, can, onRemove: setRemoved })}
        keyOf={({ path }) => path}
        {...pagesOf(uploads)}
        empty={<Empty>Nobody has sent a file yet.</Empty>}
      />
      {removed !== undefined && <DeleteUpload name={name} path={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

async function digestsOf(name: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (let cursor: string | undefined; ;) {
    const { answer } = await send('knowledge.uploads', { params: { name }, query: { limit: 200, cursor } });
    for (const { path, digest } of answer.items) digests.set(path, digest);
    if (answer.next_cursor === undefined) return digests;
    cursor = answer.next_cursor;
  }
}

function Sent({ sent, unchanged, refused }: SentFiles) {
  return (
    <div role="status" className="mb-4">
      <State meaning={refused.length === 0 ? 'good' : 'failed'}>
        {`${plural(sent, 'file')} sent, ${unchanged} unchanged${refused.length === 0 ? '' : `, ${refused.length} not sent`}`}
      </State>
      <ul className="mt-1">
        {refused.map(({ path, problem }) => (
          <li key={path}>
            {path}: {problem}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Choices {
  name: string;
  can: Allowed;
  onRemove: (path: string) => void;
}

const columnsWith = ({ name, can, onRemove }: Choices): readonly Column<KnowledgeUpload>[] => [
  { header: 'Path', width: 'minmax(0,2fr)', cell: ({ path }) => path },
  { header: 'Size', width: '90px', isExtra: true, align: 'right', cell: (one) => bytes(one.bytes) },
  { header: 'Sent', width: '110px', isExtra: true, cell: ({ uploaded_at }) => <When at={uploaded_at} /> },
  {
    header: 'Action',
    width: '90px',
    align: 'right',
    cell: ({ path }) => (
      <Action can={can} svc={deleteLine(name, path)} look="quiet" onPress={() => onRemove(path)}>
        Delete
      </Action>
    ),
  },
];

const deleteLine = (name: string, path: string) => `svc kb delete-upload ${name} ${shellWord(path)}`;

function DeleteUpload({ name, path, onClose }: { name: string; path: string; onClose: () => void }) {
  const remove = useSend('knowledge.delete_upload', { says: () => `${path} is deleted` });
  return (
    <Confirm
      title={`Delete ${path}`}
      about="The next refresh takes it out of what is searched. Snapshots that have it keep it."
      send="Delete it"
      sending={remove}
      onClose={onClose}
      onSend={() => remove.mutate({ params: { name }, query: { path } }, { onSuccess: onClose })}
    />
  );
}
