// A kubeconfig, read on the machine of its owner. The service gets an address, an authority and one static credential of it, and never the file. What
// would run a program, read another file or trust more than one authority is refused: a kubeconfig often comes from somebody else.
import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import { parse } from 'yaml';
import { z } from 'zod';
import { misuse } from '../refusal.ts';

interface Kubeconfig {
  address: string;
  /** PEM. */
  ca: string;
  namespace: string | undefined;
  credential: Pick<TargetCredential, 'token' | 'certificate' | 'key'>;
}

const most_characters = 1_000_000;

const named = <Of extends z.ZodType>(field: string, of: Of) =>
  z.array(z.looseObject({ name: z.string(), [field]: of }));
const file = z.looseObject({
  'current-context': z.string().optional(),
  contexts: named(
    'context',
    z.looseObject({ cluster: z.string(), user: z.string(), namespace: z.string().optional() }),
  ),
  clusters: named(
    'cluster',
    z.looseObject({ server: z.string(), 'certificate-authority-data': z.base64().optional() }),
  ),
  users: named(
    'user',
    z.looseObject({
      token: z.string().optional(),
      'client-certificate-data': z.base64().optional(),
      'client-key-data': z.base64().optional(),
    }),
  ),
});

const of_cluster = new Set(['server', 'certificate-authority-data', 'disable-compression', 'extensions']);
const of_user = new Set(['token', 'client-certificate-data', 'client-key-data', 'extensions']);
const whyRefused: Readonly<Record<string, string>> = {
  exec: 'it would run a program',
  'auth-provider': 'it would run a program',
  'insecure-skip-tls-verify': 'anybody on the way could answer as the cluster',
  'proxy-url': 'the service connects to the cluster itself',
  'tls-server-name': 'the certificate must be that of the address',
};
const static_only =
  'A target needs a static credential: kubectl create token <service account> --duration=8760h, in a kubeconfig or with --token';

/** Throws a misuse that names the entry. */
export function readKubeconfig(text: string, context?: string): Kubeconfig {
  if (text.length > most_characters) throw misuse('The kubeconfig is longer than 1 MB');
  const read = file.safeParse(parsed(text));
  if (!read.success)
    throw misuse(
      `This is no kubeconfig: ${read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    );
  const { contexts, clusters, users, 'current-context': current } = read.data;
  const name = context ?? current ?? '';
  const meant = find(contexts, 'context', name) as { cluster: string; user: string; namespace?: string }; // as parsed above
  const cluster = find(clusters, 'cluster', meant.cluster) as Record<string, string>;
  const user = find(users, 'user', meant.user) as Record<string, string>;
  refuseOthers(cluster, { known: of_cluster, of: `cluster ${meant.cluster}` });
  refuseOthers(user, { known: of_user, of: `user ${meant.user}` });
  const { server = '', 'certificate-authority-data': authority } = cluster;
  if (authority === undefined) throw misuse(`The cluster ${meant.cluster} has no certificate-authority-data`);
  return {
    address: server,
    ca: decoded(authority),
    namespace: meant.namespace,
    credential: credentialOf(user, meant.user),
  };
}

function credentialOf(user: Record<string, string>, name: string): Kubeconfig['credential'] {
  const { token, 'client-certificate-data': certificate, 'client-key-data': key } = user;
  if (token !== undefined) return { token };
  if (certificate !== undefined && key !== undefined) return { certificate: decoded(certificate), key: decoded(key) };
  throw misuse(`The user ${name} has no token and no client certificate`, static_only);
}

function refuseOthers(entry: object, { known, of }: { known: ReadonlySet<string>; of: string }): void {
  const other = Object.keys(entry).find((field) => !known.has(field));
  if (other === undefined) return;
  const why =
    whyRefused[other] ??
    (/file|^client-|^certificate-authority$/i.test(other)
      ? 'it is the path of another file'
      : 'a target has no such field');
  throw misuse(`The kubeconfig has ${other} for the ${of}: ${why}`, static_only);
}

function find(entries: readonly Record<string, unknown>[], field: string, name: string): unknown {
  const found = entries.find((one) => one['name'] === name);
  if (found !== undefined) return found[field];
  throw misuse(
    `The kubeconfig has no ${field} ${JSON.stringify(name)}; it has: ${entries.map((one) => String(one['name'])).join(', ') || 'none'}`,
  );
}

function parsed(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    // The message of the parser repeats lines, which may have a token.
    throw misuse(`This is no kubeconfig: it is no YAML (${error instanceof Error ? error.name : 'unknown'})`);
  }
}

const decoded = (text: string) => Buffer.from(text, 'base64').toString();
