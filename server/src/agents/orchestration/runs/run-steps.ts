// The steps of a run for its readers: one for each call of a member, on all levels. The calls inside a member that is an orchestration have
// paths below its own.
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { OrchestrationStep } from '@gantry/contract/agents/orchestrations.ts';
import { isOrchestration, type OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { spentBySteps } from '../../../models/ledger/spending.ts';
import type { RunRow } from '../../../ground/runs/run.ts';
import { chosenAt } from './choice.ts';
import { loadOrchestration } from '../load-orchestration.ts';
import { memberRunId } from '../members/member-id.ts';
import { memberRef } from '../members/member-ref.ts';
import type { OrchestrationInput } from './orchestration-run.ts';
import * as store from '../store.ts';

/** With all answers and problems. The caller hides what its reader may not see. */
export async function stepsOf(db: Reader, run: Pick<RunRow<OrchestrationInput>, 'id' | 'input' | 'steps'>) {
  const [member, spent, answers] = await Promise.all([
    membersOf(db, run),
    spentBySteps(db, run.id),
    store.answersOf(db, run.id),
  ]);
  const calls = run.steps.filter(({ name }) => chosenAt(name) === undefined);
  const shown = calls.map(({ name: path, state, started_at, ended_at, problem }) => {
    const answer = answers.find((one) => one.path === path);
    const called = member(path);
    const isInner = called !== undefined && isOrchestration(called);
    const run_id = isInner ? null : (answer?.run_id ?? memberRunId(run.id, path, 1));
    const calls_of_step = [run_id, ...(answer?.earlier_run_ids ?? [])];
    const used = spent.filter((one) => calls_of_step.includes(one.run_id));
    const total = (of: 'input_tokens' | 'output_tokens' | 'nano') => used.reduce((sum, one) => sum + one[of], 0);
    const [input_tokens, output_tokens, nano] = [total('input_tokens'), total('output_tokens'), total('nano')];
    return {
      path,
      member: nameIn(path),
      state,
      started_at,
      ended_at,
      agent: answer?.agent ?? (called === undefined ? null : memberRef(called)),
      run_id,
      version: answer?.version ?? null,
      digest: answer?.digest ?? null,
      used: { input_tokens, output_tokens, nano },
      answer: answer?.answer ?? null,
      problem,
    };
  });
  return shown.map(({ used: own, ...step }): OrchestrationStep => {
    const below = shown.filter(({ path }) => path.startsWith(`${step.path}/`));
    const sum = (of: keyof typeof own) => below.reduce((total, { used }) => total + used[of], own[of]);
    return {
      ...step,
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost_usd: formatUsd(sum('nano')),
    };
  });
}

/** The member that a path calls, by the version of its orchestration that the run has chosen. */
async function membersOf(
  db: Reader,
  { id, input }: Pick<RunRow<OrchestrationInput>, 'id' | 'input'>,
): Promise<(path: string) => OrchestrationMember | undefined> {
  const chosen = await store.chosenVersions(db, id);
  const configs = new Map<string, OrchestrationMember[]>();
  for (const [path, version_id] of [['', input.version_id] as const, ...chosen])
    configs.set(path, (await loadOrchestration(db, version_id)).config.agents);
  return (path) => configs.get(path.split('/').slice(0, -1).join('/'))?.find(({ name }) => name === nameIn(path));
}

/** `desk/1:2:worker` and `desk:fallback:worker` call the worker. */
const nameIn = (path: string): string => path.split(/[/:]/).at(-1) ?? path;
