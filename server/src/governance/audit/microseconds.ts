// Stored times are text with six decimals and compared as text, so both sides need six decimals.
export function microseconds(time: string): string {
  const [seconds = '', decimals = ''] = new Date(time).toISOString().replace('Z', '').split('.');
  return `${seconds}.${decimals.padEnd(6, '0')}Z`;
}
