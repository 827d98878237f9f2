import type { KeyDefaults as Defaults } from '@gantry/contract/models/budgets.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Action, type Allowed } from '../../parts/action/action.tsx';
import { plural } from '../../parts/figures/figures.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { useSend } from '../../parts/action/use-send.ts';
import { wordsOf } from '../../parts/words.ts';
import { ask, send } from '../../server.ts';
import { LimitFields, limitsInWords, limitsOf } from '../keys/limits.tsx';

const day_seconds = 86_400;

interface KeyDefaultsProps {
  team: string;
  can: Allowed | undefined;
}

/** What the keys of new members and service principals get. */
export function KeyDefaults({ team, can }: KeyDefaultsProps) {
  const { data: defaults, error } = useQuery(ask('key_defaults.show', { params: { team } }));
  const [isChanging, setChanging] = useState(false);
  return (
    <Section
      title="Keys of new members"
      aside={
        <Action
          can={can}
          svc={`svc team budget set ${shellWord(team)} --new-members --daily 5 --models "gpt-*" --expires-in 90d`}
          onPress={() => setChanging(true)}
        >
          Change
        </Action>
      }
    >
      {error !== null && <Refusal error={error} />}
      <div className="rounded border border-line bg-raised p-3">
        {defaults === undefined ? <div className="skeleton h-18" /> : <Shown defaults={defaults} />}
      </div>
      {isChanging && defaults !== undefined && (
        <ChangeDefaults team={team} before={defaults} onClose={() => setChanging(false)} />
      )}
    </Section>
  );
}

function Shown({ defaults: { models, limits, expires_in_seconds } }: { defaults: Defaults }) {
  return (
    <Facts
      facts={[
        [
          'Models',
          <span key="models" className="font-mono text-meta">
            {models.join('  ')}
          </span>,
        ],
        ['Limits', limitsInWords(limits)],
        ['Expire', expires_in_seconds === null ? 'never' : `after ${plural(expires_in_seconds / day_seconds, 'day')}`],
      ]}
    />
  );
}

function ChangeDefaults({ team, before, onClose }: { team: string; before: Defaults; onClose: () => void }) {
  const params = { team };
  const set = useSend('key_defaults.set', {
    says: ({ models, limits }) =>
      `Keys of new members of team ${team} call ${models.join(', ')}; limits: ${limitsInWords(limits)}`,
    undo: async () => await send('key_defaults.set', { params, body: before }),
  });
  return (
    <FormDialog
      title={`Keys of new members of team ${team}`}
      about="Service principals get the same. Keys and limits that exist stay unchanged."
      send="Change the defaults"
      sending={set}
      onSend={({ models, expires_in_seconds: days, ...values }) => {
        const seconds = days ? Math.round(Number(days) * day_seconds) : null;
        set.mutate(
          { params, body: { models: wordsOf(models), limits: limitsOf(values), expires_in_seconds: seconds } },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
    >
      <Field
        name="models"
        label="Models"
        required
        defaultValue={before.models.join(', ')}
        help="Patterns between commas, such as gpt-4o*. One star is every model that they may call."
      />
      <LimitFields before={before.limits} />
      <Field
        name="expires_in_seconds"
        label="Days until they expire"
        type="number"
        step="any"
        min={0}
        placeholder="never"
        defaultValue={before.expires_in_seconds === null ? '' : before.expires_in_seconds / day_seconds}
      />
    </FormDialog>
  );
}
