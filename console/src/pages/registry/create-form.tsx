import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { visibilities, type Visibility } from '@gantry/contract/roles.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useActiveTeam } from '../../parts/browser/active-team.ts';
import { Choice, Field, Form } from '../../parts/form/form.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask, send } from '../../server.ts';
import { ConfigFields, type Member } from './config-fields.tsx';
import { kinds, readers } from './kinds.ts';
import { MemberRows } from './member-rows.tsx';
import { readConfig } from './read-config.ts';
import { tagsIn } from './tags.ts';

export function CreateForm({ kind, members }: { kind: ConfigOnlyKind; members: readonly Member[] }) {
  const own = members.filter(({ name }) => !asked_above.has(name));
  const { data: me } = useQuery(ask('auth.me', {}));
  const active = useActiveTeam();
  const navigate = useNavigate();
  const create = useSend('registry.create', {
    changes: ['models'],
    says: ({ ref, team }) => `${ref} exists in team ${team}`,
    undo: async ({ name }) => await send('registry.delete', { params: { kind, name } }),
  });
  const sending = useMutation({
    mutationFn: async ({ name = '', team = '', description = '', tags = '', visibility, ...given }: Values) => {
      const asked = { name, team, description, tags: tagsIn(tags) };
      const repeated = Object.entries(asked).filter(([each, value]) => isIn(members, each) && value.length > 0);
      const config = { ...Object.fromEntries(repeated), ...readConfig(own, given) };
      // One of the options.
      const words = { description, tags: asked.tags, visibility: visibility as Visibility };
      return await create.mutateAsync({ params: { kind }, body: { name, team, ...words, config } });
    },
    onSuccess: ({ answer: { name } }) =>
      void navigate(
        kind === 'model'
          ? { to: '/models/$name', params: { name } }
          : kind === 'target'
            ? { to: '/targets/$name', params: { name } }
            : { to: '/registry/$kind/$name', params: { kind, name } },
      ),
  });
  if (me === undefined) return <div className="skeleton h-96 max-w-[720px]" />;
  const teams = me.teams.map(({ name }) => name);
  return (
    <div className="max-w-[720px]">
      <Form
        error={sending.error}
        isSending={sending.isPending}
        send={`Create the ${kinds[kind].one}`}
        onSend={(values) => sending.mutate(values)}
      >
        <div className="grid grid-cols-2 gap-4 max-phone:grid-cols-1">
          <Field name="name" label="Name" help="Lower-case letters, digits and hyphens." />
          <Choice name="team" label="Team" options={teams} defaultValue={active ?? me.active_team ?? teams[0]} />
          <Field name="description" label="Description" />
          <Field name="tags" label="Tags" help="Separated by commas." />
        </div>
        <Choice
          name="visibility"
          label="Readers"
          defaultValue="org"
          options={visibilities.map((value) => ({ value, label: `${value}: ${readers[value]}` }))}
        />
        <Section title="Config">
          <div className="flex flex-col gap-4">
            {kind === 'orchestration' && <MemberRows />}
            <ConfigFields
              members={kind === 'orchestration' ? own.filter(({ name }) => name !== 'agents') : own}
              config={{}}
            />
          </div>
        </Section>
      </Form>
    </div>
  );
}

type Values = Record<string, string>;

/** A config that has them too takes the same values. */
const asked_above = new Set(['name', 'team', 'description', 'tags']);

const isIn = (members: readonly Member[], name: string) => members.some((member) => member.name === name);
