// The models of an agent.yaml, in the catalogue of this moment. A missing one is no fault: it can be added later. Only a fallback that
// can never be called is one.
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { catalogueName, formatNames, isKnown, modelProvider, usualProvider } from '@gantry/contract/model-providers.ts';
import { nearest } from '@gantry/contract/nearest.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { everyoneIn, usableBy } from './facts.ts';
import type { ModelRow } from './model.ts';
import { modelsCalled, namesOf } from './model-called.ts';
import * as store from './store.ts';

interface OfTeam {
  team_id: string;
  config: AgentConfig;
}

/** Throws `project_invalid` for a fallback in another format than the primary model. */
export async function requireOneFormat(db: Reader, { team_id, config: { model } }: OfTeam): Promise<void> {
  const { primary, fallback } = model ?? {};
  if (primary === undefined || fallback === undefined) return;
  const [[first], [second]] = await Promise.all([find(db, team_id, primary), find(db, team_id, fallback)]);
  if (first === undefined || second === undefined || kindOf(first) === kindOf(second)) return;
  const message = `\`${fallback}\` is called in the format of ${formatNames[kindOf(second)]} and \`${primary}\` in that of ${formatNames[kindOf(first)]}; a fallback keeps the format`;
  throw new Problem('project_invalid', {
    detail: `${message}.`,
    hint: 'Name a fallback of the same format: svc model list',
    errors: [{ file: 'agent.yaml', pointer: '/model/fallback', message }],
  });
}

/** What the agent cannot call yet, each with the command that changes it, and the models of other teams, which read its prompts. */
export async function noticesOfModels(db: Reader, { team_id, config }: OfTeam): Promise<string[]> {
  const { team, model } = config;
  const usable = await ofTeam(db, team_id, await store.catalogue(db));
  if (usable.length === 0 && model?.primary === undefined)
    return [
      `No model is set up that team:${team} may use. An agent that calls one needs it: svc model add --team ${team}`,
    ];
  const names = (['primary', 'fallback'] as const).flatMap((field) => {
    const name = model?.[field];
    return name === undefined ? [] : [{ field, name }];
  });
  const notices = await Promise.all(
    names.map(async ({ field, name }) => {
      const found = await find(db, team_id, name);
      if (found.length > 1)
        return [
          `\`model.${field}\` is ${name}, which means ${found.map((row) => `models/${row.name}`).join(' and ')}, so its calls are refused. Name one of them.`,
        ];
      const [only] = found;
      if (only !== undefined)
        return only.team_id === team_id
          ? []
          : [
              `\`model.${field}\` is models/${only.name} of team:${only.team}, so its calls go to the server of that team.`,
            ];
      const close = nearest(
        name,
        usable.flatMap((row) => namesOf(row, team_id)),
      );
      const or = close === undefined ? '' : ` Did you mean ${close}?`;
      return [
        `\`model.${field}\` is ${name}, and team:${team} may use no such model, so its calls get 403.${or} Add it: ${commandFor(name, team)}`,
      ];
    }),
  );
  return notices.flat();
}

/** The meanings of the name, for a key of the team. */
async function find(db: Reader, team_id: string, name: string): Promise<ModelRow[]> {
  return modelsCalled(await ofTeam(db, team_id, await store.modelsNamed(db, name, team_id)), name, team_id);
}

async function ofTeam<Row extends ModelRow>(db: Reader, team_id: string, rows: readonly Row[]): Promise<Row[]> {
  const origin = noRequest();
  return await usableBy(db, everyoneIn(team_id, { id: team_id, label: '', origin }), rows);
}

const kindOf = ({ config }: ModelRow) => modelProvider(config.provider).kind;

function commandFor(name: string, team: string): string {
  const usual = usualProvider(name);
  const added = catalogueName(name);
  const provider = usual !== undefined && isKnown(usual) ? usual : '<provider>';
  return `svc model add ${added} --provider ${provider}${added === name ? '' : ` --model ${name}`} --team ${team}`;
}
