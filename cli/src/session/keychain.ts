// The operating system's keychain: one entry per server origin. A machine without one (most servers and containers)
// says so by `available`; nothing falls back to a file on its own.

export interface TokenStore {
  read(origin: string): string | undefined;
  write(origin: string, token: string): void;
  /** True when there was one. */
  remove(origin: string): boolean;
}

const service = 'gantry';
// Without this, the binding takes the kernel's keyring where no Secret Service runs: in many containers it accepts nothing,
// elsewhere it forgets everything with the login session.
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

/** Reading an entry that is not there answers null; only a keychain that is not there throws. */
function isAvailable(probe: () => unknown): boolean {
  try {
    probe();
    return true;
  } catch {
    // The binding has no error codes to tell causes apart: whatever it is, nothing can be kept there.
    return false;
  }
}
