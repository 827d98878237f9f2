// The key that signs checkpoints. Its file is outside the database, and it is separate from SECRET_KEY. So neither key gives the powers of
// the other. The first start creates it, and nothing replaces it: a log with another key's signature is a fault.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigFault } from '../../ground/config/config.ts';

export interface CheckpointKey {
  private_key: KeyObject;
  public_key: KeyObject;
  /** SPKI in PEM, for auditors. */
  public_pem: string;
}

export async function checkpointKey(file: string): Promise<CheckpointKey> {
  if (!existsSync(file)) await make(file);
  const private_key = read(file, await readFile(file));
  const public_key = createPublicKey(private_key);
  return { private_key, public_key, public_pem: pemOf(public_key) };
}

// A link: the file is complete or missing, and only one of two servers that share it creates it.
async function make(file: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o400, flush: true });
  try {
    await link(draft, file);
    await writeFile(`${file}.pub`, pemOf(publicKey), { mode: 0o444 });
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    await rm(draft);
  }
}

const pemOf = (public_key: KeyObject): string => public_key.export({ type: 'spki', format: 'pem' }).toString();

function read(file: string, pem: Buffer): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below names the file; the parser's error does not.
  }
  throw new ConfigFault(`${file} contains no Ed25519 key. Restore its content: checkpoints are signed with that key.`);
}
