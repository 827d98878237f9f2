/** What each provider of sign-in is. Its code is a file of `server/src/people/login/providers/`. */
export const signInProviders = {
  local: {
    about: 'e-mail and password',
    /** The service itself makes the accounts and keeps their passwords. Otherwise the provider does. */
    keeps_passwords: true,
  },
} as const satisfies Record<string, SignInProvider>;

export interface SignInProvider {
  about: string;
  keeps_passwords: boolean;
}

export type ProviderName = keyof typeof signInProviders;

/** Undefined for a provider that this version does not know. */
export function signInProvider(name: string): SignInProvider | undefined {
  return Object.hasOwn(signInProviders, name) ? signInProviders[name as ProviderName] : undefined; // has it
}
