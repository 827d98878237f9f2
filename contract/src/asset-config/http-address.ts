import { z } from 'zod';
import { holdsSecretName } from './secret-text.ts';

/** Where something answers. What proves who calls travels as a secret by its name, never in an address. */
export const httpAddress = z
  .string()
  .max(2000)
  .superRefine((written, context) => {
    const message = faultOf(written);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

// None of the sentences begins with "must be": what follows that is shown with the value, and here the value may be the secret.
function faultOf(written: string): string | undefined {
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is no address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '')
    return 'holds a user name or a password; give `secret` the name of a secret instead';
  const named = [...url.searchParams.keys()].find(holdsSecretName);
  return named === undefined
    ? undefined
    : `holds what looks like a secret (\`${named.slice(0, 40)}\`); give \`secret\` the name of a secret instead`;
}
