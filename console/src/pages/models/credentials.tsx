import type { Model } from '@gantry/contract/models/models.ts';
import { useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { SvcLine } from '../../parts/copy.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';

/** The secrets of its team that its upstreams name. A value goes in, and never comes out. */
export function Credentials({ model: { team, upstreams } }: { model: Model }) {
  const [chosen, setChosen] = useState<string>();
  const names = [...new Set(upstreams.flatMap(({ secret }) => secret ?? []))];
  const set = useSend('secrets.set', {
    changes: ['models'],
    says: ({ name }) => `The secret ${name} of team ${team} has a new value`,
  });
  if (names.length === 0) return null;
  const close = () => {
    setChosen(undefined);
    set.reset();
  };
  return (
    <Section title="Credentials">
      <ul className="rounded border border-line bg-raised">
        {names.map((name) => (
          <li key={name} className="flex min-h-10 items-center gap-4 border-b border-line px-3 py-1 last:border-b-0">
            <span className="min-w-0 truncate font-mono text-meta">{name}</span>
            <span className="text-quiet">a secret of team {team}</span>
            <span className="ml-auto">
              <Button onClick={() => setChosen(name)}>Set its value</Button>
            </span>
          </li>
        ))}
      </ul>
      {chosen !== undefined && (
        <FormDialog
          title={`Value of ${chosen}`}
          about="It is stored encrypted, and is never shown again."
          sending={set}
          send={`Set ${chosen}`}
          onSend={({ value = '' }) => set.mutate({ body: { team, name: chosen, value } }, { onSuccess: close })}
          onClose={close}
        >
          <Field name="value" label="Value" type="password" autoComplete="new-password" />
          <SvcLine line={`svc secret set ${chosen} --team ${team}`} />
        </FormDialog>
      )}
    </Section>
  );
}
