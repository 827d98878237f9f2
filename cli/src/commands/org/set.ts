import { orgSettings, printSetting, type OrgSetting, type OrgSettings } from '@gantry/contract/people/org.ts';
import { defineCommand, required } from '../../command.ts';
import { yesFlag } from '../../input/confirm-final.ts';
import { misuse, CliRefusal } from '../../refusal.ts';
import type { Session } from '../../session/session.ts';
import { good, line, warn } from '../../view/view.ts';

const names = Object.keys(orgSettings.shape);

export const command = defineCommand({
  words: 'org set',
  summary: `Change a setting of the organisation: ${names.join(', ')}`,
  needs: 'org.change',
  examples: [
    'svc org set require_approval_for_admins true',
    `svc org set required_guardrails '[{"name": "pii_detection", "teams": ["sales"]}]'`,
  ],
  arguments: { setting: required('The setting'), value: required('Its value') },
  flags: { yes: yesFlag },
  async run({ setting, value, yes }, session) {
    if (!names.includes(setting)) throw misuse(`There is no setting ${setting}`, `Name one of ${names.join(', ')}.`);
    const before = (await session.call('org.show', {})).settings[setting as OrgSetting]; // one of the names, as was just seen
    const body = { [setting]: readValue(value) } as Partial<OrgSettings>; // the service checks the value
    if (setting === 'require_approval_for_admins' && value === 'true' && !yes) await warnOnlyAdmin(session);
    const { notices, ...org } = await session.call('org.set', { body });
    return {
      data: org,
      view: [
        line(good('✓ '), `${setting} is ${printSetting(org.settings[setting as OrgSetting])}`),
        ...notices.map((notice) => line(warn('note '), notice)),
      ],
      undo: `svc org set ${setting} ${quoted(printSetting(before))}`,
    };
  },
});

/** Asks before the change; without a terminal the answer's notice says the same. */
async function warnOnlyAdmin(session: Session): Promise<void> {
  if (!(await session.prompt.canAsk())) return;
  const { items } = await session.call('users.list', { query: { limit: 200 } });
  if (items.filter(({ active, role }) => active && role === 'admin').length > 1) return;
  const sentence = 'You are the only admin: nobody can approve your requests, so you can deploy nothing';
  session.output.notice(`${sentence}. To make a second one first: svc user update <e-mail> --role admin`);
  if (!(await session.prompt.confirm('Set it anyway?', '--yes')))
    throw new CliRefusal('declined', 'Nothing was changed');
}

function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (text.startsWith('[')) return readList(text);
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function readList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw misuse('The value begins like a list, and is no JSON', `Write it like '[{"name": "pii_detection"}]'.`);
  }
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w.-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
