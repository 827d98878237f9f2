import { useLive } from '../live.ts';
import { useCode } from '../parts/browser/later.ts';
import { Page } from '../parts/page/page.tsx';

/** Stands for a page whose code is not here yet. */
export function Pending() {
  const code = useCode();
  const { lost_since } = useLive();
  if (code === 'waiting' || lost_since !== undefined)
    return <Page title="Waiting for the service">It does not answer. This page opens by itself when it does.</Page>;
  return (
    <main id="content" tabIndex={-1} aria-busy className="flex min-w-0 flex-1 flex-col gap-4 px-6 py-5 outline-none">
      <span className="skeleton h-8 w-64" />
      <span className="skeleton h-40" />
    </main>
  );
}
