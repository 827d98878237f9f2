// One list: rows are links, pages load on scroll, only the rows in sight are in the document. The service sorts and filters.
import { Link, type LinkProps } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useState, type ReactNode } from 'react';
import { count, plural } from '../figures/figures.ts';
import { useMoves } from './move-by-arrows.ts';
import { Refusal } from '../refusal.tsx';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** A CSS grid track: `120px`, `minmax(0, 2fr)`. */
  width: string;
  /** Hidden on a phone. */
  isExtra?: boolean;
  align?: 'right';
}

interface ListProps<Row> {
  /** Read aloud: what the rows are. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string;
  /** The page of a row. Absent where a row has none. */
  linkOf?: (row: Row) => LinkProps;
  /** The row that the page shows more of. */
  isChosen?: (row: Row) => boolean;
  /** A row may be higher on a phone, where its first cell has what its hidden cells say. */
  wraps?: boolean;
  error?: unknown;
  empty: ReactNode;
  /** Loads the next page; absent on the last one. */
  more?: (() => void) | undefined;
}

const row_px = 32;
const skeletons = [1, 2, 3, 4, 5, 6];

export function List<Row>({
  label,
  columns,
  rows,
  keyOf,
  linkOf,
  isChosen,
  wraps,
  error,
  empty,
  more,
}: ListProps<Row>) {
  const { body, onKeyDown } = useMoves();
  const [offset, setOffset] = useState(0);
  useEffect(() => setOffset(body.current?.offsetTop ?? 0), [body]);
  const virtual = useWindowVirtualizer({
    count: rows?.length ?? 0,
    estimateSize: () => row_px,
    overscan: 20,
    scrollMargin: offset,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const isNearEnd = rows !== undefined && last >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd) more?.();
  }, [isNearEnd, more]);

  if (rows === undefined && error !== null && error !== undefined) return <Refusal error={error} />;
  if (rows?.length === 0) return empty;
  const tracks = { '--tracks': columns.map(({ width }) => width).join(' ') } as Record<string, string>;
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={more === undefined ? (rows?.length ?? -1) : -1}
      style={tracks}
      className="rounded border border-line bg-raised text-meta"
    >
      <div
        role="row"
        className="grid h-8 items-center gap-4 border-b border-line px-3 text-quiet [grid-template-columns:var(--tracks)] max-phone:hidden"
      >
        {columns.map(({ header, align }) => (
          <span key={header} role="columnheader" className={align === 'right' ? 'text-right' : ''}>
            {header}
          </span>
        ))}
      </div>
      <div
        ref={body}
        role="rowgroup"
        onKeyDown={onKeyDown}
        className="relative"
        style={{ height: rows && virtual.getTotalSize() }}
      >
        {rows === undefined
          ? skeletons.map((each) => (
              <div key={each} aria-hidden className="flex h-8 items-center px-3">
                <span className="skeleton h-3 w-full" />
              </div>
            ))
          : shown.map(({ index, start }) => {
              const row = rows[index];
              return (
                row !== undefined && (
                  <RowLine
                    key={keyOf(row)}
                    row={row}
                    columns={columns}
                    linkOf={linkOf}
                    isChosen={isChosen?.(row) === true}
                    measure={wraps === true ? virtual.measureElement : undefined}
                    top={start - offset}
                    index={index}
                  />
                )
              );
            })}
      </div>
    </div>
  );
}

interface RowLineProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  linkOf: ((row: Row) => LinkProps) | undefined;
  isChosen: boolean;
  /** Measures a row in a list that wraps. */
  measure: ((row: HTMLElement | null) => void) | undefined;
  top: number;
  index: number;
}

// A scrolled list is drawn again with each frame, and its rows are the same.
const RowLine = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Row>({ row, columns, linkOf, isChosen, measure, top, index }: RowLineProps<Row>) {
  const link = linkOf?.(row);
  return (
    <div
      role="row"
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-current={isChosen ? 'true' : undefined}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 grid h-8 items-center gap-4 border-b border-line px-3 [grid-template-columns:var(--tracks)] last:border-b-0 hover:bg-hover aria-[current=true]:bg-accent-soft max-phone:auto-cols-max max-phone:grid-flow-col max-phone:grid-cols-[minmax(0,1fr)] ${measure === undefined ? '' : 'max-phone:h-auto max-phone:min-h-8 max-phone:py-1.5'}`}
    >
      {columns.map(({ header, cell, isExtra = false, align }, column) => (
        <div
          key={header}
          role="cell"
          className={`min-w-0 truncate ${align === 'right' ? 'text-right' : ''} ${isExtra ? 'max-phone:hidden' : ''} ${measure === undefined ? '' : 'max-phone:whitespace-normal'}`}
        >
          {column === 0 && link !== undefined ? (
            <Link {...link} className="font-strong after:absolute after:inset-0">
              {cell(row)}
            </Link>
          ) : (
            <span className="relative">{cell(row)}</span>
          )}
        </div>
      ))}
    </div>
  );
}

/** How many rows are loaded, of how many: `200 of 10,000 agents`. */
export function Shown({ of: { data }, noun }: { of: { data: Pages<unknown> | undefined }; noun: string }) {
  const total = data?.pages[0]?.total;
  if (data === undefined || total === undefined) return null;
  const loaded = data.pages.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <span role="status">
      {loaded < total && `${count(loaded)} of `}
      {plural(total, noun)}
    </span>
  );
}

interface Pages<Row> {
  pages: { items: Row[]; total?: number }[];
}

/** The rows, the refusal and the next page of an infinite query, as `List` takes them. */
export function pagesOf<Row>(query: {
  data: Pages<Row> | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}) {
  return {
    rows: query.data?.pages.flatMap(({ items }) => items),
    error: query.error,
    more: query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined,
  };
}
