/** The usual size of a test, or its long variant under `npm run soak`. */
export function inSoak(usual: number, soak: number): number {
  return process.env['SOAK'] === '1' ? soak : usual;
}
