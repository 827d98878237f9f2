import { z } from 'zod';
import { holdsSecretName } from './secret-text.ts';

/** An HTTP address. Credentials are secrets by name, and never part of an address. */
export const httpAddress = z
  .string()
  .max(2000)
  .superRefine((written, context) => {
    const message = faultOf(written);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

// No sentence begins with "must be": such a sentence is shown with the value, which may be the secret here.
function faultOf(written: string): string | undefined {
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '')
    return 'holds a user name or a password; give `secret` the name of a secret instead';
  const named = [...url.searchParams.keys()].find(holdsSecretName);
  return named === undefined
    ? undefined
    : `holds what looks like a secret (\`${named.slice(0, 40)}\`); give \`secret\` the name of a secret instead`;
}
