import type { OrgSetting } from '@gantry/contract/people/org.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';
import { ReadingGrants } from '../people/reading-grants.tsx';
import { SettingForm } from './setting-form.tsx';
import { settingWords, shownSetting } from './setting-words.ts';
import { useOrganisationTabs } from './tabs.ts';

const names = Object.keys(settingWords) as OrgSetting[]; // its keys are exactly these

export function SettingsPage() {
  const { data: org, error } = useQuery(ask('org.show', {}));
  const { data: me } = useQuery(ask('auth.me', {}));
  const [open, setOpen] = useState<OrgSetting>();
  return (
    <Page
      title="Organisation"
      about="Settings hold for every team. Each change is in the audit log."
      svc="svc org show"
      tabs={useOrganisationTabs()}
    >
      {error !== null && <Refusal error={error} />}
      {org === undefined && error === null && <div className="skeleton h-[560px] max-w-[880px]" />}
      {org !== undefined && (
        <ul className="max-w-[880px] rounded border border-line bg-raised">
          {names.map((name) => {
            const { label, about, form } = settingWords[name];
            const can: Allowed | undefined = org.set_in_file.includes(name)
              ? { allowed: false, reason: `The settings file ${org.file ?? ''} sets it. Change it there.` }
              : me?.can['org.set'];
            return (
              <li
                key={name}
                className="grid min-h-14 grid-cols-[minmax(0,1fr)_160px_88px] items-center gap-4 border-b border-line px-4 py-2 last:border-b-0 max-phone:grid-cols-[minmax(0,1fr)_max-content]"
              >
                <div className="min-w-0 max-phone:col-span-2">
                  <p className="font-strong">{label}</p>
                  <p className="text-meta text-quiet">{about}</p>
                </div>
                <span className="min-w-0 break-words">{shownSetting(org.settings[name])}</span>
                <span className="text-right">
                  {form !== 'fixed' && (
                    <Action can={can} svc={`svc org set ${name} …`} onPress={() => setOpen(name)}>
                      Change
                    </Action>
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      <div className="mt-6 max-w-[880px]">
        <ReadingGrants team={null} can={me?.can['grants.create']} />
      </div>
      {open !== undefined && org !== undefined && (
        <SettingForm name={open} value={org.settings[open]} onDone={() => setOpen(undefined)} />
      )}
    </Page>
  );
}
