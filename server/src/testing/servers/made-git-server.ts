// A server of Git that sends any objects, such as no program of Git makes.
import { createHash } from 'node:crypto';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { answeringServer } from './answering-server.ts';

const types = { commit: 1, tree: 2, blob: 3, ofs_delta: 6 } as const;

export interface Made {
  type: keyof typeof types;
  content: Uint8Array;
  /** In place of `content`, compressed. */
  packed?: Uint8Array;
  /** Of a delta: how many bytes before it its base begins. */
  back?: number;
}

export const idOf = ({ type, content }: Pick<Made, 'type' | 'content'>): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

export const blobOf = (content: string | Uint8Array): Made => ({ type: 'blob', content: Buffer.from(content) });

export const treeOf = (entries: readonly { mode: string; name: string; id: string }[]): Made => ({
  type: 'tree',
  content: Buffer.concat(
    entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  ),
});

export const commitOf = (tree: Made): Made => ({
  type: 'commit',
  content: Buffer.from(
    `tree ${idOf(tree)}\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\nmade\n`,
  ),
});

/** A stream of this many times 64 MB that never says what it has: for a pack, an object that unpacks without an end. */
export function bombOf(times: number): Buffer {
  const part = deflateRawSync(Buffer.alloc(64 * 1024 * 1024), { level: 1, finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: times }, () => part)]);
}

/** Its one branch is at the first object. The bytes of each object in the pack are its own. */
export async function madeGitServer(objects: readonly Made[]): Promise<string> {
  const [head] = objects;
  if (head === undefined) throw new Error('a commit comes first');
  const pack = packOf(objects);
  return await answeringServer(({ method, url = '' }, response) => {
    if (method === 'GET') {
      response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
      const first = line(`${idOf(head)} HEAD\0shallow side-band-64k symref=HEAD:refs/heads/main agent=made\n`);
      response.end(`${line('# service=git-upload-pack\n')}0000${first}${line(`${idOf(head)} refs/heads/main\n`)}0000`);
    } else if (url.endsWith('/git-upload-pack')) {
      response.write(`${line(`shallow ${idOf(head)}\n`)}0000${line('NAK\n')}`);
      for (let at = 0; at < pack.length; at += 65_000) {
        const part = pack.subarray(at, at + 65_000);
        response.write(`${lengthOf(part.length + 1)}\u0001`);
        response.write(part);
      }
      response.end('0000');
    }
  });
}

const lengthOf = (bytes: number) => (bytes + 4).toString(16).padStart(4, '0');
const line = (text: string) => `${lengthOf(text.length)}${text}`;

/** Git's format of packs, version 2. */
function packOf(objects: readonly Made[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(objects.length);
  const all = [Buffer.from('PACK\0\0\0\u0002'), count, ...objects.map(printObject)];
  const body = Buffer.concat(all);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

export function printObject({ type, content, packed = deflateSync(content), back }: Made): Buffer {
  const size = [];
  let rest = Math.floor(content.length / 16);
  for (; rest > 0; rest = Math.floor(rest / 128)) size.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  const head = Buffer.from([(types[type] << 4) | (content.length % 16) | (size.length > 0 ? 0x80 : 0), ...size]);
  return Buffer.concat([head, back === undefined ? Buffer.alloc(0) : offsetOf(back), packed]);
}

function offsetOf(back: number): Buffer {
  const bytes = [back % 128];
  for (let rest = Math.floor(back / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift(0x80 | (rest % 128));
  }
  return Buffer.from(bytes);
}
