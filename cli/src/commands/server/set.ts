import { defineCommand, optional } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { readValue } from '../../secret/read-value.ts';
import { changeSetting, describeSettings, readSettings, type SettingNow } from '../../server/settings.ts';
import { findServer } from '../../server/server-process.ts';

export const command = defineCommand({
  words: 'server set',
  summary: 'Change a setting of the service on this machine; without an argument list those that are set',
  needs: 'this machine',
  examples: [
    'svc server set OUTBOUND_PRIVATE_HOSTS+=127.0.0.1:11434',
    'svc server set START_DEADLINE_SECONDS=',
    'svc server set AUDIT_PUSH_TOKEN < token',
  ],
  arguments: {
    setting: optional(
      'NAME=value; NAME+=value for one more of a list; NAME= for its default; NAME of a secret, whose value is asked for or read from stdin',
    ),
  },
  flags: {},
  async run({ setting }, session) {
    const now = await readSettings(session);
    if (setting === undefined) return { data: now, view: describeSettings(now, false) };
    const [, name = setting, adds = '', typed] = /^([^=+]+)(\+?)=(.*)$/s.exec(setting) ?? [];
    const known = now.settings.find((each) => each.name === name);
    const given = adds === '' || typed === undefined ? typed : together(known, typed);
    if (known?.is_secret === true && given !== undefined && given !== '')
      throw misuse(
        `${name} is a secret, and every user of this machine can read the arguments of a program`,
        `Give its value at the prompt, or on stdin: svc server set ${name} < file`,
      );
    if (known !== undefined && !known.is_secret && given === undefined)
      throw misuse(`The value of ${name} is missing`, `Give it like: svc server set ${name}=value. ${known.meaning}`);
    if (name === 'DATA_DIR' && findServer(session.config) !== undefined)
      throw misuse('DATA_DIR cannot change while the service runs', 'Run `svc server stop` first.');
    // An unknown name is refused by the service's program, which knows the nearest one.
    const value =
      known === undefined ? (given ?? '') : (given ?? (await readValue(session, name, `svc server set ${name}`)));
    return await changeSetting(session, name, value);
  },
});

/** The list of the file, with one more; those of a shell's environment are not the file's. */
function together(known: SettingNow | undefined, added: string): string {
  const before = known?.from === 'file' ? (known.value ?? '').split(',').map((each) => each.trim()) : [];
  return [...new Set([...before, added])].join(',');
}
