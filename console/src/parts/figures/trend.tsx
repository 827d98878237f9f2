// A small chart of equal parts of a time: its sum in figures, a bar for each part, and a mark for each event.
import type { ReactNode } from 'react';

interface Bar {
  /** The height; 0 and null draw nothing. */
  value: number | null;
  /** A second, lower height within it. */
  within?: number | null;
  /** Shown on hover. */
  says: string;
}

interface TrendProps {
  label: string;
  total: string;
  aside?: ReactNode;
  bars: readonly Bar[];
  /** `at` is counted in parts from the left. */
  marks?: readonly { at: number; says: string }[];
  isFailure?: boolean;
  /** In place of the bars where all are zero. */
  empty: string;
}

const height = 40;

export function Trend({ label, total, aside, bars, marks = [], isFailure = false, empty }: TrendProps) {
  const most = Math.max(0, ...bars.map(({ value }) => value ?? 0));
  const scaled = (value: number | null | undefined) => (most === 0 ? 0 : ((value ?? 0) / most) * height);
  return (
    <figure className="min-w-0 rounded border border-line bg-raised px-3 pt-2.5 pb-2">
      <figcaption className="flex items-baseline justify-between gap-2">
        <span className="text-quiet">{label}</span>
        <span className="text-meta text-quiet">{aside}</span>
      </figcaption>
      <p className={`text-title ${isFailure && most > 0 ? 'text-failed' : ''}`}>{total}</p>
      <div className="relative mt-2 h-12 border-b border-line">
        <svg
          role="img"
          aria-label={`${label} over the last 24 hours: ${total}`}
          viewBox={`0 0 ${bars.length} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-x-0 bottom-0 h-10 w-full"
        >
          {bars.map(({ value, within, says }, n) => (
            <g key={n} className={isFailure ? 'fill-failed' : 'fill-accent'}>
              <title>{says}</title>
              <rect x={n} y={0} width={1} height={height} className="fill-transparent hover:fill-hover" />
              <rect
                x={n + 0.12}
                y={height - scaled(value)}
                width={0.76}
                height={scaled(value)}
                opacity={within === undefined ? 1 : 0.4}
              />
              {within !== undefined && (
                <rect x={n + 0.12} y={height - scaled(within)} width={0.76} height={scaled(within)} />
              )}
            </g>
          ))}
        </svg>
        {most === 0 && <p className="absolute inset-x-0 bottom-3 text-center text-meta text-quiet">{empty}</p>}
        {marks.map(({ at, says }) => (
          <span
            key={`${at} ${says}`}
            title={says}
            style={{ left: `${(at / bars.length) * 100}%` }}
            className="absolute top-0 bottom-0 border-l border-dashed border-line-strong"
          >
            <span aria-hidden className="absolute -top-1.5 -left-1.25 text-[9px] text-quiet">
              ▼
            </span>
            <span className="sr-only">{says}</span>
          </span>
        ))}
      </div>
      <div aria-hidden className="mt-1 flex justify-between text-meta text-quiet">
        <span>24 h ago</span>
        <span>now</span>
      </div>
    </figure>
  );
}
