// The operating system's keychain: one entry per server origin. A machine without one (most servers and containers) has `available`
// false; nothing falls back to a file by itself.

export interface TokenStore {
  read(origin: string): string | undefined;
  write(origin: string, token: string): void;
  remove(origin: string): boolean;
}

const service = 'gantry';
// Without this, the binding uses the kernel's keyring where no Secret Service runs. In many containers it accepts nothing; elsewhere it
// loses everything with the login session.
const lasting = { linux: { store: 'secret-service' } } as const;

export async function openKeychain(): Promise<TokenStore & { available: boolean }> {
  const { Entry } = await import('@napi-rs/keyring');
  const entry = (origin: string): InstanceType<typeof Entry> => new Entry(service, origin, lasting);
  return {
    available: isAvailable(() => entry('probe').getPassword()),
    read: (origin) => entry(origin).getPassword() ?? undefined,
    write: (origin, token) => entry(origin).setPassword(token),
    remove: (origin) => entry(origin).deletePassword(),
  };
}

/** Reading a missing entry returns null; only a missing keychain throws. */
function isAvailable(probe: () => unknown): boolean {
  try {
    probe();
    return true;
  } catch {
    // The binding has no error codes, so every error means that nothing can be stored there.
    return false;
  }
}
