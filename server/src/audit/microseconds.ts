// Stored times are text with six decimals; compared as text, so both sides must have them.
export function microseconds(time: string): string {
  const [seconds = '', decimals = ''] = new Date(time).toISOString().replace('Z', '').split('.');
  return `${seconds}.${decimals.padEnd(6, '0')}Z`;
}
