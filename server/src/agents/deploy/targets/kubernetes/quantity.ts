const units: Readonly<Record<string, number>> = {
  '': 1, m: 1e-3,
  k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50,
}; // prettier-ignore

/** An amount of memory as a cluster writes it: `16Gi`, `12951632Ki`, `1e9`. */
export function memoryBytes(quantity = '0'): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?(?:e\d+)?)([kKMGTPm]i?)?$/.exec(quantity) ?? [];
  const bytes = Number(amount === '' ? Number.NaN : amount) * (units[unit] ?? Number.NaN);
  if (Number.isNaN(bytes)) throw new Error(`${JSON.stringify(quantity)} is no amount of memory`);
  return bytes;
}
