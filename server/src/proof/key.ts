// The key that signs checkpoints: in a file that the database never sees, apart from SECRET_KEY, so that whoever has the one cannot do what
// the other does. Made at the first start, never replaced: a log that was signed by another key is a fault, not a reason for a new one.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigFault } from '../config.ts';

export interface CheckpointKey {
  private_key: KeyObject;
  public_key: KeyObject;
  /** SPKI in PEM: what an auditor needs. */
  public_pem: string;
}

export async function checkpointKey(file: string): Promise<CheckpointKey> {
  if (!existsSync(file)) await make(file);
  const private_key = read(file, await readFile(file));
  const public_key = createPublicKey(private_key);
  return { private_key, public_key, public_pem: pemOf(public_key) };
}

// Linked into place: whole or not there, and of two servers that share the file one makes it.
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
    // Answered below: the parser's own words say nothing about which file it was.
  }
  throw new ConfigFault(`${file} holds no Ed25519 key. Put back the one it held: checkpoints are signed with it.`);
}
