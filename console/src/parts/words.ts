/** Words between commas or spaces. */
export const wordsOf = (text: string | undefined): string[] =>
  text?.split(/[\s,]+/).filter((word) => word !== '') ?? [];
