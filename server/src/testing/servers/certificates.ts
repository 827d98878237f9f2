import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** An authority, and a certificate for the engine at 127.0.0.1 and for its client. */
export async function certificates(directory: string) {
  const file = (name: string) => join(directory, name);
  const openssl = async (...args: string[]) => await execute('openssl', args);
  const ca = file('ca.pem');
  const new_key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...new_key, '-keyout', file('ca.key'), '-out', ca, '-days', '2', '-subj', '/CN=tests');
  const issue = async (name: string, extensions: string) => {
    const [key, cert] = [file(`${name}.key`), file(`${name}.pem`)];
    await openssl('req', ...new_key, '-keyout', key, '-out', file(`${name}.csr`), '-subj', `/CN=${name}`);
    await writeFile(file(`${name}.ext`), extensions);
    const by = ['-CA', ca, '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file(`${name}.ext`)];
    await openssl('x509', '-req', '-in', file(`${name}.csr`), '-out', cert, ...by);
    return { key, cert };
  };
  const forServer = (address: string) => `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth\n`;
  const server = await issue('engine', forServer('127.0.0.1'));
  const client = await issue('client', 'extendedKeyUsage=clientAuth\n');
  const read = async (path: string) => await readFile(path, 'utf8');
  return {
    ca: await read(ca),
    server: { ...server, ca },
    client: { certificate: await read(client.cert), key: await read(client.key) },
    serverAt: async (address: string) => {
      const { cert, key } = await issue('server', forServer(address));
      return { certificate: await read(cert), key: await read(key) };
    },
  };
}
