/** Throws for a name that is no plain file name. */
export function requireSecretName(name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not a valid name for a secret file`);
}
