/** The cluster in which the service itself runs, as it says so to each pod. */
export interface OwnCluster {
  /** Of its API server. */
  address: string;
  /** With the files ca.crt and token. */
  folder: string;
}

export function ownClusterOf(environment: NodeJS.ProcessEnv): OwnCluster | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || host === '') return undefined;
  const name = host.includes(':') ? `[${host}]` : host;
  return { address: `https://${name}:${port}`, folder: '/var/run/secrets/kubernetes.io/serviceaccount' };
}
