/** `fast, cheap` → its tags. */
export function tagsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((tag) => tag !== '');
}
