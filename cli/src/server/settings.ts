// The settings file of the service on this machine. The service's own program reads and writes it, so its rules are those of a start.
import { findServer, runServerProgram } from './server-process.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { faint, good, line, prose, table, type View } from '../view/view.ts';

export interface SettingNow {
  name: string;
  /** Null without one; `(set)` for a secret. */
  value: string | null;
  from: 'environment' | 'file' | 'default';
  is_secret: boolean;
  meaning: string;
}

export interface Settings {
  file: string;
  settings: SettingNow[];
}

export async function readSettings(session: Session): Promise<Settings> {
  return JSON.parse(await runServerProgram(session, ['list-settings'])) as Settings; // the output of `list-settings`
}

/** Those that are set; with `all` the others too, with their default and their meaning. */
export function describeSettings({ file, settings }: Settings, all: boolean): View {
  const shown = all ? settings : settings.filter(({ from }) => from !== 'default');
  return [
    table(
      ['setting', 'value', 'from', ...(all ? [prose('meaning')] : [])],
      shown.map(({ name, value, from, meaning }) => [name, value ?? '', from, ...(all ? [meaning] : [])]),
      'No setting is set: every one has its default. See them: svc server settings --all',
    ),
    line(faint('  file  '), file),
  ];
}

interface Changed {
  name: string;
  value: string | null;
  file: string;
  changed: boolean;
  /** The environment of this shell has another value, which a start from here uses. */
  is_overridden: boolean;
}

/** An empty value removes the setting. Refused for what a start would refuse. */
export async function changeSetting(session: Session, name: string, value: string): Promise<Result> {
  const printed = await runServerProgram(session, ['set', name], { stdin: value });
  const { file, changed, is_overridden, ...now } = JSON.parse(printed) as Changed; // the output of `set`
  const runs = findServer(session.config) !== undefined;
  const is = now.value === null ? `${name} has its default again` : `${name} is ${now.value}`;
  if (is_overridden)
    session.output.notice(`${name} is also set in this shell's environment, and a start from here uses that value.`);
  return {
    data: { ...now, file, changed, needs_restart: runs && changed },
    view: [
      line(good('✓ '), changed ? `${is}, in ${file}` : `${is} already; nothing has changed`),
      ...(runs && changed ? [line(faint('  The running service has the earlier value until its restart.'))] : []),
    ],
    next: runs && changed ? [{ command: 'svc server restart', when: 'to use it; the agents keep running' }] : [],
  };
}
