import { IssuerMismatchError, OAuthError } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { Redirected } from '../../../ground/outbound/bounded-fetch.ts';

/** A reason in words of this service. */
export class SignInFailed extends Error {}

/** The server has another authorization server than the one that gave the tokens. No token of the former one goes to it. */
export class IssuerChanged extends SignInFailed {}

/**
 * The failure of the work as a refusal that names the server. What the other side has written is not repeated, because it can hold a token or a code.
 */
export async function signingIn<T>(ref: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('connection_failed', { detail: `The sign-in for ${ref} has failed: ${reasonOf(error)}` });
  }
}

function reasonOf(error: unknown): string {
  const own = [error, error instanceof Error ? error.cause : undefined].find(
    (one): one is Error =>
      one instanceof SignInFailed || one instanceof DestinationRefused || one instanceof Redirected,
  );
  if (own !== undefined) return own.message;
  if (error instanceof IssuerMismatchError)
    return 'another authorization server has answered than the one that was asked.';
  if (error instanceof OAuthError) return `its authorization server refuses (${errorCodeOf(error.code)}).`;
  return 'its authorization server did not answer as OAuth 2.1 says.';
}

/** RFC 6749, section 5.2. */
export function errorCodeOf(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'without a code';
}
