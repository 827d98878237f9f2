import { readGiven } from '../../input/read-given.ts';
import { defineCommand, needed, required, text } from '../../command.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { checkedConfig } from '../../registry/typed-config.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target add',
  summary: "Add another machine's container engine, for platform admins; the members of its team deploy to it",
  needs: 'target.change',
  examples: [
    'svc target add gpu-box --address tcp://gpu.example.com:2376 --ca ca.pem --registry https://registry.example.com/agents --service-url https://door.example.com',
    'svc target add gpu-box --team ml --address ssh://deploy@gpu.example.com --host-fingerprint SHA256:abc --registry https://registry.example.com/agents --service-url https://door.example.com --json',
  ],
  arguments: { name: required('Its name, for --target and deploy.cloud') },
  flags: {
    address: needed(text('tcp://<host>:<port>, always with TLS, or ssh://<user>@<host>', 'address')),
    ca: text('A file: the authority that signed the certificate of the engine, in the form PEM', 'path'),
    hostFingerprint: text('The key of the machine at ssh://: ssh-keyscan <host> | ssh-keygen -lf -', 'SHA256:…'),
    registry: needed(text('The registry that brings images to it: https://<host>/<repository>', 'address')),
    serviceUrl: needed(text('The address at which containers there reach the door of this service', 'address')),
  },
  async run({ name, address, ca, hostFingerprint, registry, serviceUrl }, session) {
    const given = {
      kind: 'engine',
      address,
      registry,
      service_url: serviceUrl,
      ...(hostFingerprint === undefined ? {} : { host_fingerprint: hostFingerprint }),
      ...(ca === undefined ? {} : { ca: await readGiven(ca) }),
    };
    const { config } = await checkedConfig('target', JSON.stringify(given), `targets/${name}`);
    const team = await teamToOwn(session);
    await session.call('registry.create', { params: { kind: 'target' }, body: { name, team, config } });
    return {
      data: await session.call('targets.show', { params: { name } }),
      view: [line(good('✓ '), `targets/${name} is the engine at ${address}; deployers of team:${team} deploy to it`)],
      next: [
        {
          command: `svc target credential ${name}${ca === undefined ? '' : ' --certificate cert.pem'} --key key.pem`,
          when: 'to connect to it',
        },
        {
          command: `svc acl grant --asset targets/${name} --principal team:<name> --actions deploy`,
          when: 'for another team',
        },
      ],
      undo: `svc target remove ${name}`,
    };
  },
});
