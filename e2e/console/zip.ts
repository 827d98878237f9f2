// A zip for a test, also one that lies: its directory can state another size than the content has.
import { crc32, deflateRawSync } from 'node:zlib';

export interface Zipped {
  path: string;
  content: string | Buffer;
  stated_bytes?: number;
}

export function zipOf(entries: readonly Zipped[]): Buffer {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, content, stated_bytes } of entries) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    // Version, flags, deflated, time, date; then checksum, sizes and the length of the name.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(stated_bytes ?? bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    contents.push(Buffer.from('PK\u0003\u0004'), facts, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), facts, place, name);
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...contents, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}
