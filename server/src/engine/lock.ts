export interface LockedPackage {
  name: string;
  version: string;
  /** `sha256:…`, of every file the index offers for this version. */
  hashes: string[];
}

/** Reads a requirements.lock as uv writes it: `name==version`, each followed by its hashes on continued lines. */
export function parseLock(lock: string): LockedPackage[] {
  const packages: LockedPackage[] = [];
  for (const line of lock.split('\n')) {
    const [, name, version] = /^([a-z0-9][a-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)/i.exec(line) ?? [];
    if (name !== undefined && version !== undefined) packages.push({ name, version, hashes: [] });
    const hash = /--hash=(\S+)/.exec(line)?.[1];
    if (hash !== undefined) packages.at(-1)?.hashes.push(hash);
  }
  return packages;
}
