/** The number of a governed change, as `svc audit --entry` takes it. */
export function receiptNumber(seq: number | null): string | null {
  return seq === null ? null : `governance/${seq}`;
}
