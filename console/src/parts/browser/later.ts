// Code of pages that is loaded after the first paint, when the browser has nothing to do. A lost part never ends the page: it is asked for
// again until the service answers. Where the service has another build, the parts of this one are gone.
import { useSyncExternalStore } from 'react';
import { readPage } from '../../server.ts';
import { growing } from './growing.ts';

/**
 * - `waiting`   a part is not here, because the service does not answer
 * - `replaced`  the service has another build of the console
 */
export type Code = 'whole' | 'waiting' | 'replaced';

type Load<Module> = () => Promise<Module>;

// A service that answers, and a part that still does not load: a bug, or something between them.
const max_answered = 6;

let state: Code = 'whole';
const changed = new EventTarget();
const queue: Load<unknown>[] = [];
let isIdle = false;

/** The same import, made safe. It fails only with a bug of the part. */
export function later<Module>(load: Load<Module>): Load<Module> {
  let loading: Promise<Module> | undefined;
  const safe = async () =>
    await (loading ??= untilLoaded(load).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  queue.push(safe);
  if (isIdle) void loadNext();
  return safe;
}

/** From the first paint on. Parts that are named later follow. */
export function loadWhenIdle(): void {
  isIdle = true;
  void loadNext();
}

export function useCode(): Code {
  return useSyncExternalStore(
    (tell) => {
      changed.addEventListener('change', tell);
      return () => changed.removeEventListener('change', tell);
    },
    () => state,
  );
}

/** Asked for after an outage: the service may have come back with another build. */
export async function lookForBuild(): Promise<void> {
  if ((await buildOfService()) === 'other') set('replaced');
}

async function loadNext(): Promise<void> {
  if (!isIdle) return;
  isIdle = false;
  for (let load = queue.shift(); load !== undefined; load = queue.shift()) {
    await idle();
    // Its error is shown where the part is needed.
    await load().catch(() => {});
  }
  isIdle = true;
}

async function idle(): Promise<void> {
  // Safari has no requestIdleCallback.
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2000 });
    else setTimeout(resolve, 50);
  });
}

async function untilLoaded<Module>(load: Load<Module>): Promise<Module> {
  let answered = 0;
  for (let failures = 0; ; failures++) {
    try {
      const module = await load();
      if (state === 'waiting') set('whole');
      return module;
    } catch (error) {
      const build = await buildOfService();
      if (build === 'other') {
        set('replaced');
        // The page is loaded again when its reader goes on, so nothing waits for this part any more.
        return await new Promise<never>(() => {});
      }
      if (build === 'same' && ++answered >= max_answered) throw error;
      if (build === 'unknown') set('waiting');
    }
    await new Promise((resolve) => setTimeout(resolve, growing(failures)));
  }
}

/** A page names the script of its build. */
async function buildOfService(): Promise<'same' | 'other' | 'unknown'> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const page = await readPage();
  if (page === undefined || own === null || own === undefined) return 'unknown';
  return page.includes(`"${own}"`) ? 'same' : 'other';
}

function set(next: Code): void {
  if (next === state || state === 'replaced') return;
  state = next;
  changed.dispatchEvent(new Event('change'));
}
