import type { Identity } from '@gantry/project/templates/copy-example.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import { callsModel, templateNames, templates, type Template } from '@gantry/project/templates/templates.ts';
import type { Framework } from '@gantry/project/frameworks.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useActiveTeam } from '../../parts/browser/active-team.ts';
import { Button } from '../../parts/action/button.tsx';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { later } from '../../parts/browser/later.ts';
import { Section } from '../../parts/page/page.tsx';
import { SvcLine } from '../../parts/copy.tsx';
import { ask } from '../../server.ts';
import type { Dropped } from './dropped-files.ts';

interface Chosen {
  template: Template;
  framework: Framework;
}

const abouts: Record<Template, string> = {
  greeter: 'Greets its callers. Calls no model, so it answers at once.',
  chat: 'A conversation with a model.',
  desk: 'Answers questions of customers, with guardrails. Calls no model.',
  refunds: 'Pays refunds, and asks a person before it pays large ones. Calls no model.',
  tools: 'Says the time of a city, by the tools of an MCP server. Calls no model.',
  'as-user': 'Reads the tasks of whoever asks, in their own name, by an MCP server of yours. Calls no model.',
  knowledge: 'Answers from documents that the person who asks may read, and cites them. Calls no model.',
  research: 'A crew that researches a topic and writes a report. Calls a model.',
};

/** The files of the examples, each loaded when it is needed. */
const examples = import.meta.glob<string>('../../../../examples/*/*.{py,yaml,txt}', {
  query: '?raw',
  import: 'default',
});

export function Templates({ onMade }: { onMade: (read: () => Promise<Dropped>) => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const rows = templateNames.flatMap((template) => templates[template].map((framework) => ({ template, framework })));
  return (
    <Section title="Or begin with a template">
      <ul className="rounded border border-line bg-raised">
        {rows.map(({ template, framework }) => (
          <li
            key={`${framework} ${template}`}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-b-0"
          >
            <div className="min-w-0 flex-1 basis-60">
              <p>
                <span className="font-strong">{template}</span> <span className="text-quiet">{framework}</span>
              </p>
              <p className="text-meta text-quiet">{abouts[template]}</p>
            </div>
            <Button aria-label={`Use ${template} of ${framework}`} onClick={() => setChosen({ template, framework })}>
              Use
            </Button>
          </li>
        ))}
      </ul>
      {chosen !== undefined && <FromTemplate chosen={chosen} onClose={() => setChosen(undefined)} onMade={onMade} />}
    </Section>
  );
}

interface FromTemplateProps {
  chosen: Chosen;
  onClose: () => void;
  onMade: (read: () => Promise<Dropped>) => void;
}

function FromTemplate({ chosen: { template, framework }, onClose, onMade }: FromTemplateProps) {
  const { data: me } = useQuery(ask('auth.me', {}));
  const active = useActiveTeam();
  const [name, setName] = useState('');
  const { data: models } = useQuery(ask('models.list', { query: { limit: 200 } }));
  const suggested =
    models?.items.find(({ type }) => type === 'chat')?.name ?? (callsModel(template) ? 'gpt-4o-mini' : '');
  const teams = me?.teams.map(({ name: team }) => team) ?? [];
  return (
    <FormDialog
      title={`A ${template} of ${framework}`}
      sending={{ error: undefined, isPending: !namePattern.test(name) }}
      send="Make the project"
      onSend={({ name: given = '', team = 'default', model }) => {
        const identity = {
          name: given,
          team,
          server: location.origin,
          ...(model !== undefined && model !== '' && { model }),
        };
        onMade(async () => await copyExample({ template, framework }, identity));
        onClose();
      }}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        help="Lower-case letters, digits and hyphens. Its address has this name."
      />
      <Choice name="team" label="Team" options={teams} defaultValue={active ?? me?.active_team ?? teams[0]} />
      <Field
        key={suggested}
        name="model"
        label="Model"
        defaultValue={suggested}
        help="Its key calls this model and no other. Without one, every model of its team."
      />
      <SvcLine line={`svc init ${name || '<name>'} --framework ${framework} --template ${template}`} />
    </FormDialog>
  );
}

// With a reader and a writer of YAML.
const copying = later(() => import('@gantry/project/templates/copy-example.ts'));

async function copyExample({ template, framework }: Chosen, identity: Identity): Promise<Dropped> {
  const { copyText } = await copying();
  const folder = `/examples/${framework}-${template}/`;
  const files = Object.entries(examples).filter(([path]) => path.includes(folder));
  const entries = await Promise.all(
    files.map(async ([at, load]) => {
      const path = at.slice(at.indexOf(folder) + folder.length);
      const text = new TextEncoder().encode(copyText(path, await load(), identity));
      return { path, size: text.length, type: 'file' as const, read: async () => text };
    }),
  );
  return { folder: identity.name, entries };
}
