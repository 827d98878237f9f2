import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface Distribution {
  /** `victim-1.0-py3-none-any.whl`, or a source distribution's `victim-1.0.tar.gz`. */
  file: string;
  bytes: Buffer;
}

/** A wheel of pure Python with these files, by path. A file may pretend to belong to another package. */
export function makeWheel(name: string, version: string, files: Record<string, string>): Distribution {
  const info = `${name}-${version}.dist-info`;
  const all: Record<string, string> = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = Object.entries(all).map(
    ([path, text]) => `${path},sha256=${urlSafe(text)},${Buffer.byteLength(text)}\n`,
  );
  all[`${info}/RECORD`] = `${record.join('')}${info}/RECORD,,\n`;
  return { file: `${name}-${version}-py3-none-any.whl`, bytes: packZip(all) };
}

function urlSafe(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Stored, not compressed (APPNOTE.TXT 4.3). */
function packZip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const common = commonFields(name, content);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), common, name, content]);
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
function commonFields(name: Buffer, content: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(0x21, 8); // 1 January 1980
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(content.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}
