import { logLevels, type LogLevel } from '@gantry/contract/agents/log-entry.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { count, plural } from '../../../parts/figures/figures.ts';
import { ChipFilter, ChoiceFilter, Filters, SearchFilter } from '../../../parts/list/filters.tsx';
import { Lines } from '../../../parts/log/lines.tsx';
import { Empty } from '../../../parts/page/page.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { shellWord } from '../../../parts/shell-word.ts';
import { useStream } from '../../../use-stream.ts';
import { AgentPage } from '../agent-page.tsx';
import { readLine, type Entry } from './log-entries.ts';
import { LogRow, WholeLine } from './log-row.tsx';

const route = getRouteApi('/agents/$name/logs');

/** The last ones that fit; new ones follow. */
const tail = 50_000;
const kept = 100_000;
const levels = logLevels.map((value, index) => ({ value, label: index === 0 ? value : `${value} or graver` }));
const isLevel = (text: string | undefined): text is LogLevel => logLevels.some((level) => level === text);

/** A row shows a shorter line whole. */
const shown_characters = 80;

export function LogsPage() {
  const { name } = route.useParams();
  const search = route.useSearch();
  const { level, text, request, revision } = search;
  const isFiltered = Object.values(search).some((each) => each !== undefined);
  const query = {
    follow: 'true',
    tail,
    ...(isLevel(level) ? { level } : {}),
    ...(text === undefined ? {} : { text }),
    ...(request === undefined ? {} : { request }),
    ...(revision === undefined ? {} : { revision }),
  };
  const { items, dropped, isOpen, error } = useStream(
    'agents.logs',
    { params: { name }, query },
    { read: readLine, max_items: kept },
  );
  const navigate = useNavigate({ from: '/agents/$name/logs' });
  const row = useCallback(
    (entry: Entry) => (
      <LogRow entry={entry} onRequest={(id) => void navigate({ search: (before) => ({ ...before, request: id }) })} />
    ),
    [navigate],
  );
  const revisions = useMemo(() => [...new Set(items.map((entry) => entry.revision))], [items]);
  return (
    <AgentPage name={name} tab="logs" wide svc={svcOf(name, request)}>
      <Filters aside={isOpen && error === undefined && <Figures lines={items.length} dropped={dropped} />}>
        <SearchFilter label="Search lines" />
        <ChoiceFilter name="level" label="Any level" options={levels} />
        {revisions.length > 1 && (
          <ChoiceFilter
            name="revision"
            label="Any revision"
            options={revisions.map((each) => ({ value: each, label: each.slice(0, 8) }))}
          />
        )}
        <ChipFilter name="request" label="call" />
        {revisions.length <= 1 && <ChipFilter name="revision" label="revision" />}
      </Filters>
      {error !== undefined && <Refusal error={error} />}
      {!isOpen && error === undefined && <div className="skeleton h-96" />}
      {isOpen && items.length === 0 && isFiltered && <Empty>None of its lines fits these filters.</Empty>}
      {isOpen && items.length === 0 && !isFiltered && (
        <Empty>
          {name} has written nothing yet. What it prints, and what its server says, appears here as it is written.
        </Empty>
      )}
      {items.length > 0 && (
        <div className="overflow-hidden rounded border border-line bg-raised py-1">
          <Lines
            label={`Output of ${name}`}
            lines={items}
            keyOf={({ key }) => key}
            row={row}
            folded={whole}
            height="h-[calc(100vh-290px)] min-h-80"
          />
        </div>
      )}
    </AgentPage>
  );
}

function whole(entry: Entry) {
  return entry.rest === undefined && entry.written.length < shown_characters ? undefined : <WholeLine entry={entry} />;
}

function Figures({ lines, dropped }: { lines: number; dropped: number }) {
  return (
    <span>
      {plural(lines, 'line')}
      {dropped > 0 && `, ${count(dropped)} older ones dropped`}
    </span>
  );
}

function svcOf(name: string, request: string | undefined): string {
  return request === undefined
    ? `svc logs ${shellWord(name)} -f`
    : `svc logs ${shellWord(name)} --request ${shellWord(request)}`;
}
