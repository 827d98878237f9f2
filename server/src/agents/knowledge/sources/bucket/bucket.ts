// The objects of a bucket, in the protocol of S3. Must never happen: a bucket that cannot be listed looks like one without documents.
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { most_file_bytes, most_source_bytes, tooLargeFile, tooLargeSource } from '../limits.ts';
import { markOf } from '../mark.ts';
import { mediaTypeOf } from '../media-type.ts';
import { listedPath } from '../listed-path.ts';
import { requirePlain } from '../receive.ts';
import { sourceFailed } from '../source-failed.ts';
import { DocumentUnreadable, type Listed, type SourceContext } from '../source.ts';
import { openClient, type BucketClient } from './client.ts';
import { readListing, type StoredObject } from './listing.ts';

/** Of 1,000 keys: far more than a base has documents, and an end for a server that has none. */
const most_pages = 200;

export async function* bucketObjects({ bucket }: KnowledgeBaseConfig, context: SourceContext): AsyncGenerator<Listed> {
  if (bucket === undefined) return;
  const name = `The bucket ${bucket.name} at ${new URL(bucket.endpoint).host}`;
  const client = await openClient(bucket, context).catch(sourceFailed(name));
  const meter = { bytes: 0 };
  let token: string | undefined;
  for (let page = 0; page < most_pages; page++) {
    const { objects, next } = await list(client, { prefix: bucket.prefix, token }).catch(sourceFailed(name));
    // A key that ends so stands for a folder.
    for (const object of objects) if (!object.key.endsWith('/')) yield listed(object, client, meter);
    if (next === undefined) return;
    token = next;
  }
  sourceFailed(name)(new DocumentUnreadable(`its list has more than ${most_pages} pages`));
}

async function list(client: BucketClient, { prefix, token }: { prefix: string; token: string | undefined }) {
  const query = { 'list-type': '2', 'encoding-type': 'url', prefix };
  const { bytes } = await client.get('', { ...query, ...(token !== undefined && { 'continuation-token': token }) });
  return readListing(bytes);
}

function listed({ key, etag, bytes }: StoredObject, client: BucketClient, meter: { bytes: number }): Listed {
  const named = listedPath(key);
  if ('problem' in named) return named;
  if (bytes > most_file_bytes) return { path: key, problem: tooLargeFile };
  const read = async () => {
    const { headers, bytes: content } = await client.get(key);
    requirePlain(headers);
    meter.bytes += content.length;
    if (meter.bytes > most_source_bytes) throw new DocumentUnreadable(tooLargeSource);
    return content;
  };
  const mark = etag === '' ? {} : { mark: markOf(client.address, key, etag) };
  return { path: key, media_type: mediaTypeOf(key), ...mark, read };
}
