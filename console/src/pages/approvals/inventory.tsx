import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { useQuery } from '@tanstack/react-query';
import { bytes } from '../../parts/figures/figures.ts';
import { Empty } from '../../parts/page/page.tsx';
import { List, type Column } from '../../parts/list/list.tsx';
import { ask } from '../../server.ts';

interface Part {
  name: string;
  what: string;
  about: string;
}

const columns: readonly Column<Part>[] = [
  { header: 'Part', width: 'minmax(0,2fr)', cell: ({ name }) => <span className="font-mono">{name}</span> },
  { header: 'Kind', width: '140px', cell: ({ what }) => what },
  { header: 'Size or version', width: '140px', isExtra: true, align: 'right', cell: ({ about }) => about },
];

/** All that the version consists of, changed or not. */
export function Inventory({ request: { asset, asset_version, is_current } }: { request: ApprovalDetail }) {
  const params = { kind: 'agent' as const, name: parseRef(asset)?.name ?? '', version: asset_version };
  const files = useQuery(ask('registry.files', { params }));
  const version = useQuery(ask('registry.show_version', { params }));
  const rows: Part[] | undefined = files.data &&
    version.data && [
      ...version.data.references.map(({ ref, version }) => ({ name: ref, what: 'reference', about: version })),
      ...files.data.map(({ path, bytes: size }) => ({ name: path, what: 'file', about: bytes(size) })),
    ];
  return (
    <>
      {!is_current && <p className="mb-3 text-quiet">This is the newer content of the version.</p>}
      <List
        label="Inventory"
        columns={columns}
        rows={rows}
        keyOf={({ what, name }) => `${what} ${name}`}
        error={files.error ?? version.error}
        empty={<Empty>The version has no files.</Empty>}
      />
    </>
  );
}
