// The credential that was sent upstream, in what the upstream says. Promise: nothing that goes to a caller shows it, in a stream or in one piece. A
// stream goes on in whole events, so no event is cut within it. A credential of fewer than 8 characters is not searched: it would match ordinary
// text.
const shortest = 8;

/** As the upstream was told it, and as JSON has it. */
function formsOf(credential: string | undefined): string[] {
  if (credential === undefined || credential.length < shortest) return [];
  return [...new Set([credential, JSON.stringify(credential).slice(1, -1)])];
}

export function hideCredential(text: string, credential: string | undefined): string {
  return formsOf(credential).reduce((shown, form) => shown.replaceAll(form, '…'), text);
}

/** The same bytes when they do not show it. */
export function hideInBytes<Part extends Uint8Array | string>(
  part: Part,
  credential: string | undefined,
): Part | string {
  if (typeof part === 'string') return hideCredential(part, credential);
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  return formsOf(credential).some((form) => bytes.includes(form)) ? hideCredential(bytes.toString(), credential) : part;
}

/** Vendors print the beginning and the end of a key that they refuse. */
export function hideKeys(text: string, credential: string | undefined): string {
  return hideCredential(text, credential).replace(/\b(?:(?:sk|gsk|xai|key|pk)[-_]|AIza)[\w*.-]{6,}/gi, '…');
}
