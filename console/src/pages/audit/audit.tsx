import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { buttonClass } from '../../parts/action/button.tsx';
import { ChipFilter, ChoiceFilter, Filters, SearchFilter } from '../../parts/list/filters.tsx';
import { List, pagesOf, type Column } from '../../parts/list/list.tsx';
import { Empty, Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { State } from '../../parts/figures/state.tsx';
import { When } from '../../parts/figures/when.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { askList } from '../../server.ts';
import { FollowLive } from './follow-live.tsx';
import { actorOf, actionGroups, sentenceOf } from '@gantry/contract/audit/audit-sentence.ts';
import { Shield } from './shield.tsx';
import { useExport } from './use-export.ts';

const route = getRouteApi('/audit');

const columns: readonly Column<AuditEntry>[] = [
  {
    header: 'Entry',
    width: 'minmax(0,1fr)',
    cell: (entry) => (
      <>
        {actorOf(entry)} <span className="font-normal">{sentenceOf(entry)}</span>
      </>
    ),
  },
  {
    header: 'Outcome',
    width: '90px',
    isExtra: true,
    cell: ({ outcome }) =>
      outcome === 'done' ? <span className="text-quiet">done</span> : <State meaning="failed">refused</State>,
  },
  { header: 'When', width: '90px', cell: ({ occurred_at }) => <When at={occurred_at} /> },
  {
    header: 'Number',
    width: '120px',
    isExtra: true,
    align: 'right',
    cell: ({ chain, seq }) => (
      <span className="font-mono text-quiet">
        {chain}/{seq}
      </span>
    ),
  },
];

const outcomes: readonly AuditEntry['outcome'][] = ['done', 'refused'];
const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 };

export function AuditPage() {
  const { follow, since, asset, outcome, ...rest } = route.useSearch();
  const from = useMemo(() => timeOf(since), [since]);
  const known = outcomes.find((each) => each === outcome);
  const filter = {
    ...rest,
    ...(asset !== undefined && /^[a-z-]+\/[a-z0-9-]+$/.test(asset) && { asset }),
    ...(known !== undefined && { outcome: known }),
    ...(from !== undefined && { since: from }),
  };
  const entries = useInfiniteQuery(askList('audit.list', { query: { ...filter, limit: 100 } }));
  const exported = useExport();
  const me = useMe();
  const flags = Object.entries({ ...rest, since, asset, outcome }).flatMap(([name, value]) =>
    value ? `--${name} ${shellWord(value)}` : [],
  );
  return (
    <Page
      title="Audit"
      wide
      svc={['svc audit', ...flags, ...(follow ? ['--follow'] : [])].join(' ')}
      about={<Shield />}
      actions={
        <>
          <FollowLive filter={filter} />
          <Action
            can={me?.can['audit.export']}
            svc="svc audit export --out audit.ndjson"
            isBusy={exported.isBusy}
            onPress={exported.begin}
          >
            {exported.label}
          </Action>
          <Link to="/audit/verify" className={buttonClass('main')}>
            Verify
          </Link>
        </>
      }
    >
      <Filters>
        <SearchFilter name="user" label="User, by e-mail" />
        <SearchFilter name="asset" label="Asset, such as agents/greeter" />
        <ChoiceFilter name="action" label="Any action" options={actionGroups} />
        <ChoiceFilter name="outcome" label="Any outcome" options={outcomes} />
        <ChoiceFilter
          name="since"
          label="Any time"
          options={Object.keys(spans).map((value) => ({ value, label: `Last ${value}` }))}
        />
        <ChipFilter name="until" label="until" />
      </Filters>
      {exported.error !== undefined && <Refusal error={exported.error} />}
      <List
        label="Audit log"
        wraps
        columns={columns}
        keyOf={({ chain, seq }) => `${chain}/${seq}`}
        linkOf={({ chain, seq }) => ({ to: '/audit/$chain/$seq', params: { chain, seq: String(seq) } })}
        {...pagesOf(entries)}
        empty={<Empty>No entry that you may see fits these filters.</Empty>}
      />
    </Page>
  );
}

/** `24h` ago, or the time itself. */
function timeOf(since: string | undefined): string | undefined {
  if (since === undefined) return undefined;
  const span = Object.hasOwn(spans, since) ? spans[since as keyof typeof spans] : undefined;
  return span === undefined ? since : new Date(Date.now() - span).toISOString();
}
