import type { ProviderName } from '@gantry/contract/people/sign-in-providers.ts';

/** What a provider has proven. Everything after it is `enterWith`, the same for each provider. */
export interface ProvenIdentity {
  provider: ProviderName;
  /** The name of the person at the provider. It never changes there, and is never given to another person. */
  subject: string;
  /** The hash that a password matched. The session opens only while it is the account's hash. */
  password_hash?: string;
}

/** One way to prove who somebody is. `Shown` is what they show: a password, or the answer of another service. */
export interface Provider<Shown> {
  /** Undefined without a proof. Neither the answer nor its time shows the reason. */
  prove(shown: Shown): Promise<ProvenIdentity | undefined>;
}

/** To the provider `local`. */
export interface ShownPassword {
  email: string;
  password: string;
  /** The socket's peer is this machine, without a proxy between. */
  from_loopback: boolean;
}
