import { createHash } from 'node:crypto';
import { packZip } from './pack-zip.ts';

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
