// What agent.yaml needs, as fields. Each field edits the text, so the text is the only truth, and what a person types into it shows here.
import { declaredGraphs, describeDisagreement, disagreement } from '@gantry/project/entrypoint/declared-graphs.ts';
import { agentInOtherForm, searched_forms } from '@gantry/project/adoption/no-agent.ts';
import { agentChoices, proposedDestinations } from '@gantry/project/adoption/propose-config.ts';
import { putFields, type FieldValue } from '@gantry/project/agent-yaml/put-fields.ts';
import { filesFromMap } from '@gantry/project/agent-project.ts';
import { frameworkNames } from '@gantry/project/frameworks.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Choice, Field } from '../../parts/form/form.tsx';
import { ask } from '../../server.ts';
import { DestinationField } from './destination-field.tsx';
import type { OpenedProject } from './open-project.ts';
import { VariableChoices } from './variable-choices.tsx';
import { useWritableTeams } from './writable-teams.ts';
import { readWritten } from './written.ts';

interface AgentYamlFormProps {
  project: OpenedProject;
  text: string;
  onText: (text: string) => void;
}

export function AgentYamlForm({ project, text, onText }: AgentYamlFormProps) {
  const files = useMemo(() => filesFromMap(project.files), [project]);
  const seen = useMemo(() => {
    const differs = disagreement(files);
    return {
      agents: agentChoices(files),
      destinations: proposedDestinations(files),
      crew: agentInOtherForm(files),
      missing: declaredGraphs(files).missing.map(({ why }) => why),
      // Its suggestion is a command; here the agent is chosen in the form.
      differs: differs && describeDisagreement(differs).message,
    };
  }, [files]);
  const models = useQuery(ask('models.list', { query: { limit: 200 } })).data?.items.map(({ name }) => name) ?? [];
  const teams = useWritableTeams();
  const [isOther, setOther] = useState(false);
  const written = readWritten(text);
  if (written === undefined)
    return <p className="text-quiet">The fields come back as soon as agent.yaml is readable as YAML.</p>;
  const { name, team, framework, entrypoint, model, deploy } = written;
  const put = (...fields: FieldValue[]) => {
    const next = putFields(text, fields);
    if (next !== undefined) onText(next);
  };
  const setText = (path: FieldValue['path'], value: string) => put({ path, value: value === '' ? undefined : value });
  const isFound = !isOther && seen.agents.some((one) => isChosen(one, written));
  const notes = entrypoint === '' && seen.differs !== undefined ? [...seen.missing, `${seen.differs}.`] : seen.missing;
  return (
    <div className="flex flex-col gap-4">
      <Field
        name="name"
        label="Name"
        value={name}
        onChange={({ currentTarget }) => setText(['name'], currentTarget.value)}
        help="Lower-case letters, digits and hyphens. Its address has this name."
      />
      <Choice
        name="team"
        label="Team"
        value={team}
        options={optionsOf(teams, team, 'Choose a team')}
        onChange={({ currentTarget }) => setText(['team'], currentTarget.value)}
        help="Its members see the agent, and its admins decide about it."
      />
      {seen.agents.length > 0 && (
        <Choice
          name="agent"
          label="Agent"
          value={isFound ? entrypoint : other}
          options={[
            ...seen.agents.map((one) => ({
              value: one.entrypoint ?? '',
              label: `${one.entrypoint ?? 'agent.py'}: ${one.found}`,
            })),
            { value: other, label: 'Another one' },
          ]}
          onChange={({ currentTarget: { value } }) => {
            const one = seen.agents.find((each) => (each.entrypoint ?? '') === value);
            setOther(one === undefined);
            if (one !== undefined)
              put({ path: ['framework'], value: one.framework }, { path: ['entrypoint'], value: one.entrypoint });
          }}
          help={`Found in the files of the project: ${seen.agents.length}.`}
        />
      )}
      {seen.agents.length === 0 && (
        <p className="text-waiting">
          No agent was found.{' '}
          {seen.crew ?? `Looked for: ${searched_forms}. When a function makes it, name the function below.`}
        </p>
      )}
      {notes.map((sentence) => (
        <p key={sentence} className="text-meta break-words text-quiet">
          {sentence}
        </p>
      ))}
      {!isFound && (
        <div className="grid grid-cols-[minmax(0,1fr)_140px] gap-4">
          <Field
            name="entrypoint"
            label="Entrypoint"
            value={entrypoint}
            placeholder="agent.py"
            onChange={({ currentTarget }) => setText(['entrypoint'], currentTarget.value)}
            help="<path>.py:<name>"
          />
          <Choice
            name="framework"
            label="Framework"
            value={framework}
            options={optionsOf(frameworkNames, framework, 'Choose one')}
            onChange={({ currentTarget }) => setText(['framework'], currentTarget.value)}
          />
        </div>
      )}
      <Choice
        name="model"
        label="Model"
        value={model.primary}
        options={optionsOf(models, model.primary, 'None named: each one of its team', true)}
        onChange={({ currentTarget }) => setText(['model', 'primary'], currentTarget.value)}
        help="Its key calls this model and no other."
      />
      <VariableChoices names={project.variables} deploy={deploy} put={put} />
      <DestinationField
        listed={deploy.egress}
        seen={seen.destinations}
        onList={(list) => put({ path: ['deploy', 'egress'], value: list.length === 0 ? undefined : list })}
      />
    </div>
  );
}

const other = 'other';

const isChosen = (
  one: { entrypoint?: string | undefined; framework: string },
  now: { entrypoint: string; framework: string },
) => (one.entrypoint ?? '') === now.entrypoint && one.framework === now.framework;

/** The present value is always among them, also one that this reader could not choose. */
function optionsOf(known: readonly string[], now: string, none: string, mayBeNone = false) {
  const names = now === '' || known.includes(now) ? known : [now, ...known];
  return [...(now === '' || mayBeNone ? [{ value: '', label: none }] : []), ...names];
}
