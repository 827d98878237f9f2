// Money is a whole number of nano-USD. As text it is a decimal number of USD.

const decimals = 9;

/** `12.50` as nano-USD. Throws a RangeError for text that is no amount, has more than nine decimals, or exceeds $9,007,199. */
export function parseUsd(text: string): number {
  const [, dollars, fraction = ''] = /^(0|[1-9]\d{0,6})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const nano = dollars === undefined ? Number.NaN : Number(dollars + fraction.padEnd(decimals, '0'));
  if (!Number.isSafeInteger(nano)) throw new RangeError(`"${text.slice(0, 40)}" is not an amount in USD`);
  return nano;
}

/** Nano-USD as `12.50`: exact, with two to nine decimals. */
export function formatUsd(nano: number): string {
  if (!Number.isSafeInteger(nano)) throw new RangeError(`${nano} is not an amount in nano-USD`);
  const digits = String(Math.abs(nano)).padStart(decimals + 1, '0');
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals).replace(/0{1,7}$/, '')}`;
}

/** Whole percent of a limit, rounded down. A limit of zero is always reached. */
export function percentOf(nano: number, limit_nano: number): number {
  return limit_nano === 0 ? 100 : Number((BigInt(nano) * 100n) / BigInt(limit_nano));
}
