import type { Meaning } from './state.tsx';

const looks: Record<Meaning, string> = {
  good: 'bg-accent',
  waiting: 'bg-waiting',
  failed: 'bg-failed',
  stopped: 'bg-stopped',
  none: 'bg-line-strong',
};

/** A part of a whole, 0 to 1. The number stands beside it as text. */
export function Meter({ part, label, meaning = 'good' }: { part: number; label: string; meaning?: Meaning }) {
  const percent = Math.max(0, Math.min(1, part)) * 100;
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1.5 w-full overflow-hidden rounded-small bg-sunken"
    >
      <div className={`h-full rounded-small ${looks[meaning]}`} style={{ width: `${percent}%` }} />
    </div>
  );
}
