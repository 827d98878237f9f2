import { createHash } from 'node:crypto';

/** The same id for the same parts, which nobody else can have. Version 8 of RFC 9562: the application's own bits. */
export function derivedId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(parts.join(' ')).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
