import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLive } from '../live.ts';
import { useCode } from '../parts/browser/later.ts';
import { exactTime } from '../parts/figures/when.tsx';

/** A thin bar while the page no longer hears of changes, or is of an older build than the service's console. */
export function Lost() {
  const { lost_since } = useLive();
  const isReplaced = useCode() === 'replaced';
  useLoadAgain(isReplaced);
  const isSaid = lost_since !== undefined || isReplaced;
  return (
    <div role="status" className={isSaid ? 'bg-waiting-soft px-6 py-1 text-meta text-waiting' : ''}>
      {lost_since !== undefined &&
        `Waiting for the service since ${exactTime(lost_since).slice(11)}. What you see may be older.`}
      {lost_since === undefined && isReplaced && (
        <>
          The service has a newer console. The next page that you open is of it.{' '}
          <button type="button" onClick={() => location.reload()} className="underline">
            Load this page again
          </button>
        </>
      )}
    </div>
  );
}

// The next page may need code that is gone. Only a click leads there: filters stay, and a hover opens nothing.
function useLoadAgain(isReplaced: boolean): void {
  const isLeaving = useRouterState({
    select: ({ location: { pathname }, resolvedLocation }) =>
      resolvedLocation !== undefined && resolvedLocation.pathname !== pathname,
  });
  useEffect(() => {
    if (isReplaced && isLeaving) location.reload();
  }, [isReplaced, isLeaving]);
}
