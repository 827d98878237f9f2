// The only map of sign-in providers. Their names are in contract/src/people/sign-in-providers.ts.
import type { ProviderName } from '@gantry/contract/people/sign-in-providers.ts';
import { local } from './local.ts';
import type { Provider } from './provider.ts';

export const providers = (parts: Parameters<typeof local>[0]) =>
  ({ local: local(parts) }) satisfies Record<ProviderName, Provider<never>>;
