import { AwsClient } from 'aws4fetch';
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { receive, type Received } from '../receive.ts';
import { DocumentUnreadable, type SourceContext } from '../source.ts';
import { token } from '../token.ts';
import { codeOfError } from './listing.ts';

type Bucket = NonNullable<KnowledgeBaseConfig['bucket']>;

export interface BucketClient {
  /** Of the bucket. */
  address: string;
  /** Throws DocumentUnreadable for any other answer than 200. A redirect is one: the signature is for this host. */
  get(key: string, query?: Record<string, string>): Promise<Received>;
}

/** Without `secret` the requests have no signature, as for a public bucket. */
export async function openClient(bucket: Bucket, context: SourceContext): Promise<BucketClient> {
  const signer = bucket.secret === undefined ? undefined : await signerOf(bucket, bucket.secret, context);
  const address = `${bucket.endpoint.replace(/\/$/, '')}/${bucket.name}`;
  return {
    address,
    get: async (key, query = {}) => {
      const url = new URL(`${address}/${key.split('/').map(encodeURIComponent).join('/')}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const signed = signer && (await signer.sign(url.href, { method: 'GET' }));
      const headers = Object.fromEntries(signed?.headers ?? []);
      const received = await receive(context, { url: url.href, headers });
      if (received.status !== 200) throw new DocumentUnreadable(refusal(received, bucket.secret));
      return received;
    },
  };
}

async function signerOf({ region }: Bucket, secret: string, context: SourceContext): Promise<AwsClient> {
  const [accessKeyId = '', ...rest] = (await token(secret, context)).split(':');
  const secretAccessKey = rest.join(':');
  if (accessKeyId === '' || secretAccessKey === '')
    throw new DocumentUnreadable(`the secret ${secret} is not <access key id>:<secret access key>`);
  return new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region });
}

function refusal({ status, bytes }: Received, secret: string | undefined): string {
  const code = codeOfError(bytes);
  const said = `it answers ${status}${code === undefined ? '' : ` (${code})`}`;
  if (status === 301 || status === 307) return `${said}: check \`endpoint\` and \`region\``;
  if (status !== 401 && status !== 403) return said;
  return secret === undefined
    ? `${said}: give \`secret\` the name of a secret that opens it`
    : `${said}: the secret ${secret} does not open it`;
}
