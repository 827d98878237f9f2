import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import { readGiven } from '../../input/read-given.ts';
import { defineCommand, required, text } from '../../command.ts';
import { readValue } from '../../secret/read-value.ts';
import { suggestAsset } from '../../registry/named.ts';
import { misuse } from '../../refusal.ts';
import type { Session } from '../../session/session.ts';
import { readKubeconfig } from '../../target/kubeconfig.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target credential',
  summary: 'Set the credential of a target from files; agents approved for it need a new approval',
  needs: 'target.change',
  examples: [
    'svc target credential gpu-box --certificate cert.pem --key key.pem',
    'svc target credential gpu-box --key key --registry-user pusher < password',
    'svc target credential cluster --token token',
    'svc target credential run --key key.json',
    'svc target credential cloud --access-key-id AKIA0123456789EXAMPLE < secret',
    'svc target credential cluster --kubeconfig kubeconfig',
  ],
  arguments: { name: required('Its name', 'target') },
  flags: {
    certificate: text(
      'A file: the certificate of the service for an engine at tcp:// or a cluster, in the form PEM',
      'path',
    ),
    key: text(
      'A file: the private key of the certificate, or of the user at ssh://, or JSON: a key of a service account of Google, or the secret of an application of Azure',
      'path',
    ),
    token: text('A file: the token of a service account of the cluster, instead of a certificate', 'path'),
    accessKeyId: text(
      'The id of an access key of AWS; its secret comes from a hidden prompt or from stdin. Without a credential, the service has the identity of its machine there',
      'id',
    ),
    kubeconfig: text(
      'A file with the address of this cluster and a static credential: a token, or a client certificate',
      'path',
    ),
    context: text('One of its contexts; unset: the current one', 'name'),
    registryUser: text('The user of the registry; its password comes from a hidden prompt or from stdin', 'name'),
  },
  async run({ name, certificate, key, token, accessKeyId, kubeconfig, context, registryUser }, session) {
    if ([key, token, kubeconfig, accessKeyId].filter((one) => one !== undefined).length !== 1)
      throw misuse('Give one of --key, --token, --kubeconfig and --access-key-id');
    if (accessKeyId !== undefined && registryUser !== undefined)
      throw misuse('--registry-user does not belong beside --access-key-id: ECR takes the access key');
    if (context !== undefined && kubeconfig === undefined) throw misuse('--context needs --kubeconfig');
    if (certificate !== undefined && key === undefined) throw misuse('--certificate needs --key');
    const given = { certificate, key, token };
    const files = (['certificate', 'key', 'token'] as const).flatMap((part) => {
      const file = given[part];
      return file === undefined ? [] : [{ part, file }];
    });
    const given_file = kubeconfig === undefined ? [] : [`--kubeconfig ${kubeconfig}`];
    const command = [
      'svc target credential',
      name,
      ...files.map(({ part, file }) => `--${part} ${file}`),
      ...given_file,
    ].join(' ');
    const registry =
      registryUser === undefined
        ? {}
        : {
            registry: {
              username: registryUser,
              password: await readValue(session, 'the registry', `${command} --registry-user ${registryUser}`),
            },
          };
    const body: TargetCredential = { ...registry };
    if (accessKeyId !== undefined)
      body.access_key = {
        id: accessKeyId,
        secret: await readValue(session, 'the access key', `${command} --access-key-id ${accessKeyId}`),
      };
    for (const { part, file } of files) body[part] = await readGiven(file);
    if (kubeconfig !== undefined) Object.assign(body, await credentialFrom(session, { name, kubeconfig, context }));
    const target = await suggestAsset(session, 'target', name, () =>
      session.call('targets.set_credential', { params: { name }, body }),
    );
    return {
      data: target,
      view: [line(good('✓ '), `targets/${name} has this credential; approvals for it need to be given again`)],
      next: [{ command: `svc target test ${name}`, when: 'to try it' }],
    };
  },
});

/** The credential of another cluster would go to this one. */
async function credentialFrom(
  session: Session,
  { name, kubeconfig, context }: { name: string; kubeconfig: string; context: string | undefined },
): Promise<TargetCredential> {
  const { address, credential } = readKubeconfig(await readGiven(kubeconfig), context);
  const target = await suggestAsset(session, 'target', name, () => session.call('targets.show', { params: { name } }));
  if (!isSameOrigin(address, target.address ?? ''))
    throw misuse(`The kubeconfig is for ${address}, and targets/${name} is at ${target.address}`);
  return credential;
}

function isSameOrigin(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  return first !== null && second !== null && first.origin === second.origin;
}
