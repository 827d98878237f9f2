// The models of an agent.yaml, in the catalogue of this moment. A missing one is no fault: it can be added later. Only a fallback that
// can never be called is one.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { catalogueName, formatNames, isKnown, modelProvider, usualProvider } from '@gantry/project/model-providers.ts';
import { nearest } from '@gantry/contract/nearest.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { usableByTeam } from './model-meanings.ts';
import type { ModelRow } from '../model.ts';
import { modelsCalled, namesOf } from './model-called.ts';
import * as store from '../store.ts';

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
  if (model?.primary === undefined && model?.fallback === undefined) return [];
  const usable = await usableByTeam(db, team_id, await store.catalogue(db));
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
        `\`model.${field}\` is ${name}, and team:${team} may use no such model, so its calls get 403.${or} Add it: ${commandToAdd(name, team)}`,
      ];
    }),
  );
  return notices.flat();
}

/** Names, such as those of an agent's config, that lead to no model which the team may use. */
export async function namesWithoutModel(db: Reader, team_id: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map(async (name) => await find(db, team_id, name)));
  return names.filter((_, at) => found[at]?.length === 0);
}

/** The meanings of the name, for a key of the team. */
async function find(db: Reader, team_id: string, name: string): Promise<ModelRow[]> {
  return modelsCalled(await usableByTeam(db, team_id, await store.modelsNamed(db, name, team_id)), name, team_id);
}

const kindOf = ({ config }: ModelRow) => modelProvider(config.provider).kind;

/** The command that adds a model of this name. */
export function commandToAdd(name: string, team: string): string {
  const usual = usualProvider(name);
  const added = catalogueName(name);
  const provider = usual !== undefined && isKnown(usual) ? usual : '<provider>';
  return `svc model add ${added} --provider ${provider}${added === name ? '' : ` --model ${name}`} --team ${team}`;
}
