import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive (APPNOTE.TXT 4.3). */
export function packZip(
  files: Record<string, string | Buffer>,
  { compress = false }: { compress?: boolean } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const stored = compress ? deflateRawSync(content) : content;
    const common = commonFields(name, content, { stored, method: compress ? 8 : 0 });
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), common, name, stored]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    // "Made by" Unix, so that the mode counts; then the same fields as before the content.
    directory.push(Buffer.from('504b01021403', 'hex'), common, central, name);
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32BE(0x50_4b_05_06, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** The fields before the name, in the file's own header and in the directory: version, method, date, checksum, sizes. */
function commonFields(name: Buffer, content: Buffer, { stored, method }: { stored: Buffer; method: number }): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt16LE(0x21, 8); // 1 January 1980
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(stored.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}
