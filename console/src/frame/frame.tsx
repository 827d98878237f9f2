import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useShortcuts } from '../parts/keys.ts';
import { Receipts } from '../parts/receipt.tsx';
import { useSessionEnded } from '../parts/session.ts';
import { ask } from '../server.ts';
import { Lost } from './lost.tsx';
import { places } from './places.ts';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';

// Loaded when they are first needed.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }));
const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

/** What stands around every page. */
export function Frame() {
  const me = useQuery(ask('auth.me', {}));
  const hasEnded = useSessionEnded();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys' | 'places'>();
  const close = () => setOpen(undefined);
  useShortcuts({
    'mod+k': () => setOpen('palette'),
    '?': () => setOpen('keys'),
    ...Object.fromEntries(places.map(({ key, link }) => [`g ${key}`, () => void navigate(link)])),
  });
  return (
    <div className="flex min-h-dvh">
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-raised focus:p-2">
        To the content
      </a>
      <SideBar isOpen={open === 'places'} onClose={close} />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar user={me.data} onSearch={() => setOpen('palette')} onPlaces={() => setOpen('places')} />
        <Lost />
        <Outlet />
      </div>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'keys' && <KeyList onClose={close} />}
        {hasEnded && <SignInAgain email={me.data?.email ?? ''} />}
      </Suspense>
      <Receipts />
    </div>
  );
}
