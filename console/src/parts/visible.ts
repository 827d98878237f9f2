/** Characters that hide or turn others are written out: who decides about a text sees all of it. */
export const visible = (text: string) =>
  text.replaceAll(/[\p{Cf}\p{Cc}]/gu, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
