// The API server of a cluster. The library is loaded at the first use. TLS accepts the authority of the config alone.
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type {
  KubeConfig,
  KubernetesObject,
  KubernetesObjectApi,
  SecurityAuthentication,
  User,
} from '@kubernetes/client-node';
import type * as Library from '@kubernetes/client-node';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import type { Labels } from '../../../../assets/docker/labels.ts';
import { answered, refusalIn, unlessMissing } from './answers.ts';

export interface Server {
  /** Of the target, for hints. */
  name: string;
  address: string;
  ca: string;
  namespace: string;
  /** Or the token of now, asked for every request. */
  credential: Omit<TargetCredential, 'registry'> | (() => Promise<string>) | undefined;
}

/** Some fields of an object. */
type Part = KubernetesObject & { spec?: object; data?: object };
type Named = Pick<KubernetesObject, 'apiVersion' | 'kind'> & { metadata: { name: string } };

export interface Cluster {
  /** Makes the object, or makes its fields as given. Fields that others have set stay. */
  apply<T extends KubernetesObject>(object: T, signal?: AbortSignal): Promise<T>;
  /** What `apply` would make of it. Nothing is stored. */
  rehearse<T extends KubernetesObject>(object: T, signal?: AbortSignal): Promise<T>;
  /** Changes the given fields. A missing object is no error. */
  merge(object: Part, signal?: AbortSignal): Promise<void>;
  read<T extends KubernetesObject>(object: Named, signal?: AbortSignal): Promise<T | undefined>;
  /** In the namespace, unless the kind belongs to none. */
  list<T extends KubernetesObject>(
    of: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
    labels: Labels,
    signal?: AbortSignal,
  ): Promise<T[]>;
  /** Begins the removal, with all that it owns. A missing one is no error. */
  remove(object: Named, signal?: AbortSignal): Promise<void>;
  /** True when it has the objects of an API, such as `metrics.k8s.io/v1beta1`. */
  serves(api: string, signal?: AbortSignal): Promise<boolean>;
  /** Asks a question. Nothing is stored. */
  ask<T extends KubernetesObject>(question: T, signal?: AbortSignal): Promise<T>;
  /** The body of an answer as it comes. Undefined for a missing object. */
  open(path: string, query: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage | undefined>;
}

const field_manager = 'gantry';
const answer_ms = 30_000;

export async function connectCluster(server: Server): Promise<Cluster> {
  const library = await import('@kubernetes/client-node');
  const config = configOf(server, library.KubeConfig);
  const objects = new library.KubernetesObjectApi(
    library.createConfiguration({
      baseServer: new library.ServerConfiguration(new URL(server.address).origin, {}),
      authMethods: { default: await sharedConnections(config, server, library) },
      promiseMiddleware: [
        {
          pre: async (context) => {
            context.setSignal(AbortSignal.timeout(answer_ms));
            return await Promise.resolve(context);
          },
          post: async (context) => await Promise.resolve(context),
        },
      ],
    }),
  );
  const { ServerSideApply, MergePatch } = library.PatchStrategy;
  const here = <T extends KubernetesObject>(object: T): T => ({
    ...object,
    metadata: Object.assign({}, object.metadata, { namespace: server.namespace }),
  });
  const patch = async <T extends KubernetesObject>(object: T, how: 'apply' | 'rehearse' | 'merge'): Promise<T> =>
    await (how === 'merge'
      ? objects.patch(here(object), undefined, undefined, field_manager, undefined, MergePatch)
      : objects.patch(here(object), undefined, dryRun(how), field_manager, true, ServerSideApply));
  const get = async (path: string, signal: AbortSignal): Promise<IncomingMessage | undefined> => {
    const options: RequestOptions = { signal };
    await config.applyToHTTPSOptions(options);
    const token = await tokenOf(server);
    const asking = request(new URL(path, server.address), options);
    if (token !== undefined) asking.setHeader('authorization', `Bearer ${token}`);
    asking.on('error', () => {}); // `once` has the failure of the request, and the reader that of the body
    asking.end();
    const [answer] = (await answered(once(asking, 'response'), signal)) as [IncomingMessage]; // as Node documents it
    if (answer.statusCode === 200) return answer;
    return await unlessMissing(answered(refusalIn(answer), signal));
  };

  return {
    apply: async (object, signal) => await answered(patch(object, 'apply'), signal),
    rehearse: async (object, signal) => await answered(patch(object, 'rehearse'), signal),
    merge: async (object, signal) => void (await unlessMissing(answered(patch(object, 'merge'), signal))),
    read: async <T extends KubernetesObject>(object: Named, signal?: AbortSignal) =>
      await unlessMissing<T>(answered(objects.read(here(object)), signal)),
    list: async <T extends KubernetesObject>(
      { apiVersion = '', kind = '' }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
      labels: Labels,
      signal?: AbortSignal,
    ) => (await answered(listed<T>(objects, { apiVersion, kind, labels, namespace: server.namespace }), signal)).items,
    remove: async (object, signal) => {
      const gone = objects.delete(here(object), undefined, undefined, undefined, undefined, 'Background');
      await unlessMissing(answered(gone, signal));
    },
    ask: async (question, signal) => await answered(objects.create(question), signal),
    serves: async (api, signal = AbortSignal.timeout(answer_ms)) => {
      const found = await get(`/apis/${api}`, signal);
      found?.destroy();
      return found !== undefined;
    },
    open: async (path, query, signal) =>
      await get(`/api/v1/namespaces/${server.namespace}/${path}?${new URLSearchParams(query).toString()}`, signal),
  };
}

async function listed<T extends KubernetesObject>(
  objects: KubernetesObjectApi,
  { apiVersion, kind, labels, namespace }: { apiVersion: string; kind: string; labels: Labels; namespace: string },
) {
  const selector = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return await objects.list<T>(
    apiVersion, kind, namespace, undefined, undefined, undefined, undefined, selector.join(',') || undefined,
  ); // prettier-ignore
}

function configOf(
  { name: target, address, ca, namespace, credential = {} }: Server,
  Config: typeof KubeConfig,
): KubeConfig {
  const user = typeof credential === 'function' ? {} : userOf(credential);
  if (user === undefined)
    throw new Problem('engine_unavailable', {
      detail: 'The target has no token and no client certificate yet.',
      hint: `A platform admin sets it: svc target credential ${target} --token <file>`,
    });
  const config = new Config();
  const name = 'target';
  config.loadFromOptions({
    clusters: [{ name, server: new URL(address).origin, caData: base64(ca), skipTLSVerify: false }],
    users: [{ name, ...user }],
    contexts: [{ name, cluster: name, user: name, namespace }],
    currentContext: name,
  });
  return config;
}

function userOf({ token, certificate, key }: TargetCredential): Partial<User> | undefined {
  if (token !== undefined) return { token: token.trim() };
  return certificate !== undefined && key !== undefined
    ? { certData: base64(certificate), keyData: base64(key) }
    : undefined;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

const tokenOf = async ({ credential }: Server) => (typeof credential === 'function' ? await credential() : undefined);

/** The library would open a connection for each request. */
async function sharedConnections(
  config: KubeConfig,
  server: Server,
  { RequestContext, HttpMethod }: typeof Library,
): Promise<SecurityAuthentication> {
  const first = new RequestContext(new URL(server.address).origin, HttpMethod.GET);
  await config.applySecurityAuthentication(first);
  return {
    getName: () => 'target',
    applySecurityAuthentication: async (context) => {
      const token = await tokenOf(server);
      if (token !== undefined) context.setHeaderParam('Authorization', `Bearer ${token}`);
      for (const [name, value] of Object.entries(first.getHeaders())) context.setHeaderParam(name, value);
      const dispatcher = first.getDispatcher();
      if (dispatcher !== undefined) context.setDispatcher(dispatcher);
    },
  };
}

const dryRun = (how: 'apply' | 'rehearse') => (how === 'rehearse' ? 'All' : undefined);
