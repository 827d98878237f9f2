import { defineCommand, toggle } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { removeData } from '../../server/remove-data.ts';
import { runServerProgram, stopServer } from '../../server/server-process.ts';
import { removeUnit } from '../../server/systemd.ts';
import { forgetToken } from '../../session/tokens.ts';
import { count } from '../../view/count.ts';
import { faint, good, line } from '../../view/view.ts';

interface Removed {
  containers: number;
  networks: number;
  volumes: number;
  images: number;
}

export const command = defineCommand({
  words: 'server uninstall',
  summary: 'Stop the service and remove everything that it created: agents, images, caches, networks, and its data',
  needs: 'this machine',
  examples: ['svc server uninstall', 'svc server uninstall --keep-data --yes'],
  arguments: {},
  flags: { keepData: toggle('Keep the data directory, with the registry and the audit log'), yes: yesFlag },
  async run({ keepData, yes }, session) {
    const { data_directory } = session.config;
    const what = keepData ? 'all of its agents and images' : `all of its agents, images and data in ${data_directory}`;
    await confirmFinal(session, {
      yes,
      deed: `Remove this installation: ${what}`,
      otherwise: 'Nothing was removed',
    });
    await removeUnit(session.config);
    await stopServer(session);
    session.output.progress(['… ', 'removing agents, images and data']);
    const onLine = (progress: string): void => session.output.progress(['… ', progress]);
    const removed = JSON.parse(await runServerProgram(session, ['uninstall'], { onLine })) as Removed; // the output of `uninstall`
    session.output.progress(undefined);
    if (!keepData) {
      removeData(session.config);
      await forgetToken(session.config, session.origin);
    }
    const { containers, images, volumes, networks } = removed;
    return {
      data: { removed, data_removed: !keepData, data_directory },
      view: [
        line(
          good('✓ '),
          `Removed from the container engine: ${count(containers, 'container')}, ${count(images, 'image')}, ${count(volumes, 'volume')}, ${count(networks, 'network')}`,
        ),
        line(
          keepData ? faint('  kept  ') : good('✓ '),
          keepData ? data_directory : `The data in ${data_directory} is deleted`,
        ),
      ],
      next: keepData ? [{ command: 'svc server start', when: 'to start again; then deploy the agents again' }] : [],
    };
  },
});
