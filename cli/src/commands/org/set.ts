import { orgSettings, type OrgSetting, type OrgSettings } from '@gantry/contract/org.ts';
import { defineCommand, required } from '../../command.ts';
import { misuse } from '../../refusal.ts';
import { good, line, warn } from '../../view/view.ts';

const names = Object.keys(orgSettings.shape);

export const command = defineCommand({
  words: 'org set',
  summary: `Change a setting of the organisation: ${names.join(', ')}`,
  needs: 'org.change',
  examples: ['svc org set require_approval_for_admins true', 'svc org set enforce_password_change true --json'],
  arguments: { setting: required('The setting'), value: required('Its value') },
  flags: {},
  async run({ setting, value }, session) {
    if (!names.includes(setting)) throw misuse(`There is no setting ${setting}`, `Name one of ${names.join(', ')}.`);
    const before = (await session.call('org.show', {})).settings[setting as OrgSetting]; // one of the names, as was just seen
    const body = { [setting]: readValue(value) } as Partial<OrgSettings>; // the service checks the value
    const { notices, ...org } = await session.call('org.set', { body });
    return {
      data: org,
      view: [
        line(good('✓ '), `${setting} is ${String(org.settings[setting as OrgSetting])}`),
        ...notices.map((notice) => line(warn('note '), notice)),
      ],
      undo: `svc org set ${setting} ${String(before)}`,
    };
  },
});

function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
