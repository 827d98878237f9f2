const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `3 min ago`, `in 2 h`; a date when it is more than a month away. */
export function relativeTime(iso: string, now: number): string {
  const milliseconds = Date.parse(iso);
  if (Number.isNaN(milliseconds)) return iso;
  const seconds = Math.round((now - milliseconds) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 2) return 'now';
  if (distance > 31 * 86_400) return iso.slice(0, 10);
  const [unit, size] = units.find(([, each]) => distance >= each) ?? units[3];
  const text = `${Math.floor(distance / size)} ${unit}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
