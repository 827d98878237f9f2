import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import { readGiven } from '../../input/read-given.ts';
import { defineCommand, required, text } from '../../command.ts';
import { readValue } from '../../secret/read-value.ts';
import { suggestAsset } from '../../registry/named.ts';
import { misuse } from '../../refusal.ts';
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
  ],
  arguments: { name: required('Its name', 'target') },
  flags: {
    certificate: text(
      'A file: the certificate of the service for an engine at tcp:// or a cluster, in the form PEM',
      'path',
    ),
    key: text(
      'A file: the private key of the certificate, or of the user at ssh://, or a JSON key of a service account of Google',
      'path',
    ),
    token: text('A file: the token of a service account of the cluster, instead of a certificate', 'path'),
    accessKeyId: text(
      'The id of an access key of AWS; its secret comes from a hidden prompt or from stdin. Without a credential, the service has the identity of its machine there',
      'id',
    ),
    registryUser: text('The user of the registry; its password comes from a hidden prompt or from stdin', 'name'),
  },
  async run({ name, certificate, key, token, accessKeyId, registryUser }, session) {
    if ([key, token, accessKeyId].filter((given) => given !== undefined).length !== 1)
      throw misuse('Give --key, --token or --access-key-id, one of them');
    if (accessKeyId !== undefined && registryUser !== undefined)
      throw misuse('--registry-user does not belong beside --access-key-id: ECR takes the access key');
    if (certificate !== undefined && key === undefined) throw misuse('--certificate needs --key');
    const given = { certificate, key, token };
    const files = (['certificate', 'key', 'token'] as const).flatMap((part) => {
      const file = given[part];
      return file === undefined ? [] : [{ part, file }];
    });
    const command = ['svc target credential', name, ...files.map(({ part, file }) => `--${part} ${file}`)].join(' ');
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
