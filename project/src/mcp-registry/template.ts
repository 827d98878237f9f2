/** A text with parts in braces, which a person fills in. */
export const isTemplate = (text: string) => text.includes('{');
