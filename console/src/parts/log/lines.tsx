// A long output in a box of its own: it follows new lines until its reader scrolls away from the end. Only the lines in sight are in the
// document. A line is cut at the edge, and folds open.
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ChevronRight } from 'lucide-react';
import { memo, useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { plural } from '../figures/figures.ts';

interface LinesProps<Line> {
  /** Read aloud. */
  label: string;
  lines: readonly Line[];
  keyOf: (line: Line) => string;
  /** One row; it is cut at the edge. The same function for all drawings, so that only new rows are drawn. */
  row: (line: Line) => ReactNode;
  /** All of it; the same function too. Absent where the row has shown all. */
  folded?: (line: Line) => ReactNode;
  /** A class for its height, or for its greatest height. */
  height: string;
}

const row_px = 20;
const near_end_px = 30;

export function Lines<Line>({ label, lines, keyOf, row, folded, height }: LinesProps<Line>) {
  const box = useRef<HTMLDivElement>(null);
  const [left_at, setLeftAt] = useState<number>();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => row_px,
    getItemKey: (index) => keyAt(lines, keyOf, index),
    overscan: 10,
  });
  const isFollowing = left_at === undefined;
  const toEnd = () => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  }, [isFollowing, lines.length]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    const isAtEnd = scrollHeight - scrollTop - clientHeight < near_end_px;
    if (isAtEnd !== isFollowing) setLeftAt(isAtEnd ? undefined : lines.length);
  };
  const toggle = useCallback(
    (name: string, index: number) => {
      // An open row is measured; a closed one has the height of every other.
      virtual.resizeItem(index, row_px);
      setOpen((before) => {
        const after = new Set(before);
        if (!after.delete(name)) after.add(name);
        return after;
      });
    },
    [virtual],
  );
  const fresh = isFollowing ? 0 : Math.max(0, lines.length - left_at);
  return (
    <div className="relative">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
        tabIndex={0}
        onScroll={onScroll}
        className={`overflow-y-auto font-mono text-meta leading-5 [overflow-anchor:none] ${height}`}
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index];
            return (
              line !== undefined && (
                <Row
                  key={key}
                  line={line}
                  name={String(key)}
                  index={index}
                  top={start}
                  measure={virtual.measureElement}
                  row={row}
                  folded={folded}
                  isOpen={open.has(String(key))}
                  onFold={toggle}
                />
              )
            );
          })}
        </div>
      </div>
      {fresh > 0 && (
        <button
          type="button"
          onClick={toEnd}
          className="eases absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded border border-line-strong bg-raised px-3 text-meta shadow-float hover:bg-hover"
        >
          {plural(fresh, 'new line')} <ArrowDown size={13} aria-hidden />
        </button>
      )}
    </div>
  );
}

interface RowProps<Line> {
  line: Line;
  name: string;
  index: number;
  top: number;
  measure: (element: Element | null) => void;
  row: (line: Line) => ReactNode;
  folded: ((line: Line) => ReactNode) | undefined;
  isOpen: boolean;
  onFold: (name: string, index: number) => void;
}

// Scrolled lines are drawn again with each frame, and most are the same.
const Row = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Line>({ line, name, index, top, measure, row, folded, isOpen, onFold }: RowProps<Line>) {
  const all = folded?.(line);
  const canFold = all !== undefined && all !== null;
  return (
    <div
      ref={isOpen ? measure : undefined}
      data-index={index}
      style={{ transform: `translateY(${top}px)` }}
      className="absolute inset-x-0 flex items-start hover:bg-hover"
    >
      {canFold ? (
        <button
          type="button"
          aria-label="The whole line"
          aria-expanded={isOpen}
          onClick={() => onFold(name, index)}
          className="flex h-5 w-5 shrink-0 items-center justify-center text-quiet hover:text-text"
        >
          <ChevronRight size={12} aria-hidden className={isOpen ? 'rotate-90' : ''} />
        </button>
      ) : (
        <span className="w-5 shrink-0" />
      )}
      <div className="min-w-0 flex-1">
        <div className="h-5 overflow-hidden text-ellipsis whitespace-pre">{row(line)}</div>
        {isOpen && canFold && <div className="pr-3 pb-2 break-words whitespace-pre-wrap">{all}</div>}
      </div>
    </div>
  );
}

function keyAt<Line>(lines: readonly Line[], keyOf: (line: Line) => string, index: number): string {
  const line = lines[index];
  return line === undefined ? String(index) : keyOf(line);
}
