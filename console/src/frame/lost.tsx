import { useLive } from '../live.ts';
import { exactTime } from '../parts/when.tsx';

/** A thin bar while the page no longer hears of changes. */
export function Lost() {
  const { lost_since } = useLive();
  return (
    <div role="status" className={lost_since === undefined ? '' : 'bg-waiting-soft px-6 py-1 text-meta text-waiting'}>
      {lost_since !== undefined &&
        `The connection is lost since ${exactTime(lost_since).slice(11)}. What you see may be older.`}
    </div>
  );
}
