// A server of the protocol of S3 by others (moto), in a separate process. It has pages of two keys. uv installs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AwsClient } from 'aws4fetch';
import { onTestFinished } from 'vitest';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';

export interface BucketServer {
  url: string;
  /** `<access key id>:<secret access key>` of the only account. */
  key: string;
  put(key: string, body: string): Promise<void>;
  /** From now on a request needs a signature of the account. Its check knows no keys with spaces. */
  checkSignatures(): Promise<void>;
}

/** Until the test ends, with one bucket. */
export async function bucketServer(bucket: string): Promise<BucketServer> {
  const url = await start();
  const key = await makeAccount(url);
  const client = new AwsClient({ ...accessOf(key), service: 's3', region: 'us-east-1' });
  const ask = async (path: string, body: string | null = null) =>
    await answered(await client.fetch(`${url}/${bucket}${path}`, { method: 'PUT', body }));
  const at = (name: string) => `/${name.split('/').map(encodeURIComponent).join('/')}`;
  await ask('');
  return {
    url,
    key,
    put: async (name, body) => void (await ask(at(name), body)),
    checkSignatures: async () =>
      void (await answered(await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: '0' }))),
  };
}

async function start(): Promise<string> {
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment({ ...(await uvEnvironment()), MOTO_S3_DEFAULT_MAX_KEYS: '2' });
  const command = ['run', '--no-project', '--quiet', '--with', 'moto[s3,iam,server]==5.2.1'];
  // A group of its own, because uv only waits for the server.
  const child = spawn(uv, [...command, 'moto_server', '-H', '127.0.0.1', '-p', '0'], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('uv did not start');
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-pid, 'SIGKILL');
    await once(child, 'exit');
  });
  return await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`the bucket server has ended: ${said}`)));
  });
}

async function makeAccount(url: string): Promise<string> {
  const client = new AwsClient({
    accessKeyId: 'anyone',
    secretAccessKey: 'anything',
    service: 'iam',
    region: 'us-east-1',
  });
  const ask = async (action: Record<string, string>) => {
    const body = new URLSearchParams({ Version: '2010-05-08', UserName: 'docs', ...action }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return await answered(await client.fetch(url, { method: 'POST', headers, body }));
  };
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }],
  });
  await ask({ Action: 'CreateUser' });
  await ask({ Action: 'PutUserPolicy', PolicyName: 'all', PolicyDocument });
  const made = await ask({ Action: 'CreateAccessKey' });
  const [id, key] = ['AccessKeyId', 'SecretAccessKey'].map((name) => new RegExp(`<${name}>(.*?)<`).exec(made)?.[1]);
  return `${id}:${key}`;
}

function accessOf(key: string) {
  const [accessKeyId = '', secretAccessKey = ''] = key.split(':');
  return { accessKeyId, secretAccessKey };
}

async function answered(answer: Response): Promise<string> {
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${said}`);
  return said;
}
