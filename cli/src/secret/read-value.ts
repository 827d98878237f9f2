import { faultOfSecret, max_secret_bytes } from '@gantry/contract/assets/secret-value.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** From a hidden prompt or from stdin. Never an argument, because all users of the machine can read arguments. */
export async function readValue(session: Session, name: string, command = `svc secret set ${name}`): Promise<string> {
  if (process.stdin.isTTY) return await ask(session, name, command);
  const value = (await readInput(name)).replace(/\r?\n$/, '');
  const fault = faultOfSecret(value);
  if (fault !== undefined) throw misuse(`The value of ${name} on stdin ${fault}`, `Give it like: ${command} < file`);
  return value;
}

async function ask(session: Session, name: string, command: string): Promise<string> {
  if (!(await session.prompt.canAsk()))
    throw misuse(`The value of ${name} is needed on stdin: svc cannot ask here`, `Give it like: ${command} < file`);
  return await session.prompt.askSecret(`Value of ${name}`, 'stdin', (given) => {
    const fault = faultOfSecret(given);
    return fault === undefined ? undefined : `The value ${fault}`;
  });
}

// Reads one byte more than a value and its line end have. An endless input would fill the memory.
async function readInput(name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk as Buffer)); // stdin has no encoding, so its chunks are bytes
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > max_secret_bytes + 2) throw misuse(`The value of ${name} on stdin is over 64 KB`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw misuse(`The value of ${name} on stdin is no valid UTF-8`, 'Encode other bytes, for example with base64.');
  }
}
