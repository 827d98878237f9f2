import { readGiven } from '../../input/read-given.ts';
import { defineCommand, needed, required, text } from '../../command.ts';
import { readValue } from '../../secret/read-value.ts';
import { suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target credential',
  summary: 'Set the credential of a target from files; agents approved for it need a new approval',
  needs: 'target.change',
  examples: [
    'svc target credential gpu-box --certificate cert.pem --key key.pem',
    'svc target credential gpu-box --key key --registry-user pusher < password',
  ],
  arguments: { name: required('Its name', 'target') },
  flags: {
    certificate: text('A file: the certificate of the service for an engine at tcp://, in the form PEM', 'path'),
    key: needed(text('A file: the private key of the certificate, or of the user at ssh://', 'path')),
    registryUser: text('The user of the registry; its password comes from a hidden prompt or from stdin', 'name'),
  },
  async run({ name, certificate, key, registryUser }, session) {
    const given = certificate === undefined ? '' : ` --certificate ${certificate}`;
    const command = `svc target credential ${name}${given} --key ${key}`;
    const registry =
      registryUser === undefined
        ? {}
        : {
            registry: {
              username: registryUser,
              password: await readValue(session, 'the registry', `${command} --registry-user ${registryUser}`),
            },
          };
    const body = {
      ...(certificate === undefined ? {} : { certificate: await readGiven(certificate) }),
      key: await readGiven(key),
      ...registry,
    };
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
