// A service account of Google asks for a token with a text that its key has signed (RFC 7523).
import { importPKCS8, SignJWT } from 'jose';

export const google_token_address = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';

interface Account {
  client_email: string;
  private_key: string;
  private_key_id?: string | undefined;
}

/** The form to send to `address`, which answers the token. Throws for a key that cannot be read. */
export async function googleGrant(
  { client_email, private_key, private_key_id }: Account,
  { address, lasts_seconds }: { address: string; lasts_seconds: number },
): Promise<string> {
  const key = await importPKCS8(private_key, 'RS256');
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id !== undefined && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setAudience(address)
    .setIssuedAt()
    .setExpirationTime(`${lasts_seconds}s`)
    .sign(key);
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return new URLSearchParams({ grant_type, assertion }).toString();
}
