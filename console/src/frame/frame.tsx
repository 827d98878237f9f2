import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useShortcuts } from '../parts/keys.ts';
import { later } from '../parts/browser/later.ts';
import { Receipts } from '../parts/action/receipt.tsx';
import { sessionOf, useSessionEnded } from '../parts/browser/session.ts';
import { ask } from '../server.ts';
import { Lost } from './lost.tsx';
import { places } from './places.ts';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';
import { catchTyping } from './typed-ahead.ts';

const signInAgain = later(() => import('./sign-in-again.tsx'));
const palette = later(() => import('./palette.tsx'));
const keyList = later(() => import('./key-list.tsx'));
const SignInAgain = lazy(async () => ({ default: (await signInAgain()).SignInAgain }));
const Palette = lazy(async () => ({ default: (await palette()).Palette }));
const KeyList = lazy(async () => ({ default: (await keyList()).KeyList }));

/** What stands around every page. */
export function Frame() {
  const me = useQuery(ask('auth.me', {}));
  const email = me.data?.email;
  useEffect(() => {
    if (typeof email === 'string') sessionOf(email);
  }, [email]);
  const ended = useSessionEnded();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys' | 'places'>();
  const close = () => setOpen(undefined);
  const search = () => {
    if (open === 'palette') return;
    catchTyping();
    setOpen('palette');
  };
  useShortcuts({
    'mod+k': search,
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
        <TopBar user={me.data} onSearch={search} onPlaces={() => setOpen('places')} />
        <Lost />
        <Outlet />
      </div>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'keys' && <KeyList onClose={close} />}
        {ended !== undefined && <SignInAgain email={email ?? ''} why={ended} />}
      </Suspense>
      <Receipts />
    </div>
  );
}
