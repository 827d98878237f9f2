/** `1 call`, `2 calls`. The plural has only an s. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
