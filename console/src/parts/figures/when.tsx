import { useEffect, useState } from 'react';

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** `3 min ago`, `in 2 d`, `now`. */
function relativeTime(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (unit === undefined) return 'now';
  const count = Math.floor(Math.abs(seconds) / size);
  return seconds > 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

/** `2026-11-22 14:02:03`, in the reader's time zone. */
export function exactTime(at: string): string {
  const date = new Date(at);
  const pad = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** Relative, with the exact time on hover. Nothing for an absent time. */
export function When({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  const now = useNow(30_000);
  if (at === null || at === undefined) return <span className="text-quiet">–</span>;
  return (
    <time dateTime={at} title={`${exactTime(at)} (${at})`} className="whitespace-nowrap">
      {exact ? exactTime(at) : relativeTime(at, now)}
    </time>
  );
}

/** The present time, read again each `every_ms`. */
export function useNow(every_ms: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now;
}
