import { defineCommand, text, toggle } from '../../command.ts';
import { environmentSettings, findServer, serverCommand } from '../../server/server-process.ts';
import { installUnit, planUnit } from '../../server/systemd.ts';
import { good, line, verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server install',
  summary: 'Let systemd start the service with this machine, with the settings of this environment',
  needs: 'this machine',
  examples: ['svc server install', 'svc server install --print'],
  arguments: {},
  flags: {
    print: toggle('Print the unit, and write nothing'),
    root: text('Write below this directory instead of /, for the image of a machine', 'directory'),
  },
  async run({ print, root }, session) {
    const { config, output } = session;
    const unit = planUnit(config, serverCommand, await environmentSettings(session));
    const { name, settings } = unit;
    const files = unit.files.map((file) => file.path);
    const printed = unit.files.at(-1)?.text ?? '';
    if (settings.length > 0)
      output.notice(`${files[0]} is for the settings of this environment: ${settings.join(', ')}`);
    if (print) return { data: { name, unit: printed }, view: [verbatim(printed.trimEnd())] };

    const changed = await installUnit(config, unit, root);
    const isRunning = findServer(config) !== undefined;
    return {
      data: { name, files, changed },
      view: [
        line(
          good('✓ '),
          changed ? `systemd starts ${name} with the machine` : `${name} is installed already; nothing has changed`,
        ),
      ],
      next:
        !changed || root !== undefined
          ? []
          : [
              ...(isRunning
                ? [{ command: 'svc server stop', when: 'to stop the running service, which does not use it yet' }]
                : []),
              { command: 'svc server start', when: 'to start it now, with systemd' },
            ],
    };
  },
});
