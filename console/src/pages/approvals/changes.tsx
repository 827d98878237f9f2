import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Empty } from '../../parts/page/page.tsx';
import { SearchTabs, useSearchTab } from '../../parts/page/search-tabs.tsx';
import { ChangeTable } from './change-table.tsx';
import { Earlier } from './earlier.tsx';
import { Files } from './files.tsx';
import { Inventory } from './inventory.tsx';
import { packageRows } from './package-rows.ts';
import { printSetting } from './print-setting.ts';

const tabs = [
  { value: 'files', label: 'Files' },
  { value: 'config', label: 'Config' },
  { value: 'dependencies', label: 'Dependencies' },
  { value: 'inventory', label: 'Inventory' },
  { value: 'earlier', label: 'Earlier decisions' },
] as const;

/** Every change, part by part. Kinds that are not deployed have only their config. */
export function Changes({ request }: { request: ApprovalDetail }) {
  const { files, config } = request.changes;
  const packages = packageRows(request.changes);
  const shown = request.asset.startsWith('agents/')
    ? tabs
    : tabs.filter(({ value }) => value === 'config' || value === 'earlier');
  const part = useSearchTab('part', shown);
  const count: Partial<Record<string, number>> = {
    files: files.length,
    config: config.length,
    dependencies: packages.length,
  };
  return (
    <section aria-label="Changes" className="mb-6">
      <SearchTabs name="part" label="Changes" tabs={shown.map((tab) => ({ ...tab, count: count[tab.value] }))} />
      {part === 'files' && <Files request={request} />}
      {part === 'config' && (
        <ChangeTable
          of="Setting"
          rows={config.map(({ path, before, after }) => ({
            name: path,
            before: printSetting(before),
            after: printSetting(after),
          }))}
          empty={<Empty>The config is unchanged.</Empty>}
        />
      )}
      {part === 'dependencies' && (
        <ChangeTable of="Package" rows={packages} empty={<Empty>Packages and base image are unchanged.</Empty>} />
      )}
      {part === 'inventory' && <Inventory request={request} />}
      {part === 'earlier' && <Earlier request={request} />}
    </section>
  );
}
