// The answers of S3 in XML. The parser knows no entities of a document's own, and so none that grow or read files.
import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { DocumentUnreadable } from '../source.ts';

export interface StoredObject {
  key: string;
  /** Empty when the server gives none. */
  etag: string;
  bytes: number;
}

/** `next` is the token for the next page. Throws DocumentUnreadable. */
export function readListing(bytes: Buffer): { objects: StoredObject[]; next: string | undefined } {
  const root = parse(bytes);
  if (root?.name !== 'ListBucketResult') throw new DocumentUnreadable('it answers with no list of a bucket');
  const isEncoded = textOf(root, 'EncodingType') === 'url';
  const objects = childrenOf(root, 'Contents').map((one) => ({
    key: isEncoded ? decode(textOf(one, 'Key')) : textOf(one, 'Key'),
    etag: textOf(one, 'ETag'),
    bytes: Number(textOf(one, 'Size')) || 0,
  }));
  const next = textOf(root, 'NextContinuationToken');
  if (textOf(root, 'IsTruncated') !== 'true') return { objects, next: undefined };
  if (next === '') throw new DocumentUnreadable('its list has no way to the next page');
  return { objects, next };
}

/** Undefined for an answer that is no error of S3. */
export function codeOfError(bytes: Buffer): string | undefined {
  const root = bytes.length > 64 * 1024 ? undefined : parse(bytes);
  const code = root?.name === 'Error' ? textOf(root, 'Code') : '';
  return /^[A-Za-z]{1,60}$/.test(code) ? code : undefined;
}

function parse(bytes: Buffer): XmlElement | undefined {
  try {
    return parseXml(bytes.toString()).root ?? undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => child.type === 'element' && 'name' in child && child.name === name,
  );
}

function textOf(element: XmlElement, name: string): string {
  return childrenOf(element, name)[0]?.text ?? '';
}

function decode(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw new DocumentUnreadable('its list has a key that is not encoded as it says');
  }
}
