/** Decimal text in dollars, with the cents that matter: `$41.20`, `$0.0042`, `–` for none. */
export function money(usd: string | number | null | undefined): string {
  if (usd === null || usd === undefined) return '–';
  const value = Number(usd);
  if (value === 0) return '$0.00';
  if (Math.abs(value) >= 0.1) return value.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  return `$${value.toLocaleString('en-US', { maximumSignificantDigits: 2, maximumFractionDigits: 9 })}`;
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toLocaleString('en-US');
}

/** `840 ms`, `4.1 s`, `2 min 05 s`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${String(Math.round((ms % 60_000) / 1000)).padStart(2, '0')} s`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}

/** `1 agent`, `3 agents`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
