import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { ask } from '../server.ts';
import { places, type Place } from './places.ts';

/** 208 px; icons alone under 1100 px; a sheet under 700 px. */
export function SideBar({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const waiting = useWaiting();
  return (
    <>
      {isOpen && (
        <button
          type="button"
          aria-label="Close the menu"
          onClick={onClose}
          className="fixed inset-0 z-30 bg-[rgb(0_0_0/0.35)]"
        />
      )}
      <nav
        aria-label="Places"
        className={`eases sticky top-0 z-30 flex h-dvh w-52 shrink-0 flex-col gap-0.5 border-r border-line bg-ground px-2 py-2 max-phone:fixed max-phone:left-0 ${isOpen ? '' : 'max-wide:w-13 max-phone:invisible max-phone:-translate-x-full'}`}
      >
        <Link
          to="/"
          className={`mb-1 flex h-9 items-center gap-2 px-2 text-section font-strong ${isOpen ? '' : 'max-wide:justify-center'}`}
        >
          <img src="/favicon.svg" alt="" width={20} height={20} />
          <span className={isOpen ? '' : 'max-wide:sr-only'}>Gantry</span>
        </Link>
        {places.map((place) => (
          <Line
            key={place.label}
            place={place}
            isOpen={isOpen}
            onClose={onClose}
            waiting={place.badge && waiting[place.badge]}
          />
        ))}
      </nav>
    </>
  );
}

function Line({
  place: { label, link, also = [], Icon, key },
  isOpen,
  onClose,
  waiting = 0,
}: {
  place: Place;
  isOpen: boolean;
  onClose: () => void;
  waiting: number | undefined;
}) {
  const isExact = link.to === '/';
  const { pathname } = useLocation();
  const isAlso = also.some((path) => pathname.startsWith(path));
  return (
    <Link
      {...link}
      activeOptions={{ exact: isExact }}
      onClick={onClose}
      title={`${label} (g ${key})`}
      className={`flex h-8 items-center gap-2.5 rounded px-2 text-quiet hover:bg-hover hover:text-text aria-[current=page]:bg-hover aria-[current=page]:font-strong aria-[current=page]:text-text ${isAlso ? 'bg-hover font-strong text-text' : ''} ${isOpen ? '' : 'max-wide:justify-center'}`}
    >
      <Icon size={16} aria-hidden className="shrink-0" />
      <span className={`flex-1 ${isOpen ? '' : 'max-wide:sr-only'}`}>{label}</span>
      {waiting > 0 && (
        <span
          className={`rounded-small bg-waiting-soft px-1.5 text-meta text-waiting ${isOpen ? '' : 'max-wide:hidden'}`}
        >
          {waiting}
          <span className="sr-only"> waiting for you</span>
        </span>
      )}
    </Link>
  );
}

const again_ms = 30_000;

function useWaiting(): Record<NonNullable<Place['badge']>, number> {
  // Nothing tells the browser that a run has begun to wait.
  const count = useQuery({ ...ask('notifications.count', {}), refetchInterval: again_ms });
  return {
    approvals: count.data?.pending ?? 0,
    inbox:
      (count.data?.waiting_runs ?? 0) +
      (count.data?.waiting_calls ?? 0) +
      (count.data?.waiting_questions ?? 0) +
      (count.data?.waiting_consents ?? 0),
  };
}
