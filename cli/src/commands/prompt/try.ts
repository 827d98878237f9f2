import { defineCommand, required, text, texts, values, whole } from '../../command.ts';
import { findExample } from '../../prompt/find-example.ts';
import { readPromptAt } from '../../prompt/read-prompt-at.ts';
import { tryOne, type TrialBody, type Tried } from '../../prompt/try-one.ts';
import { misuse } from '../../refusal.ts';
import { readNamed } from '../../registry/named.ts';
import { configFlags, readTypedConfig } from '../../registry/typed-config.ts';
import type { Result } from '../../result.ts';
import { faint, line, prose, table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'prompt try',
  summary: 'Try a prompt on models, and compare answers, tokens, cost and time; the team of the prompt pays',
  needs: 'asset.write',
  examples: [
    'svc prompt try greeting --model small --var name=Ada',
    'svc prompt try greeting@1.2.0 --model small --model large --example short',
    'svc prompt try greeting --against production --model small --example short',
    'svc prompt try greeting --file draft.yaml --model small --var name=Ada --json',
  ],
  arguments: { prompt: required('Its name, with @<version> or @<label>; without one the newest version', 'prompt') },
  flags: {
    model: texts('A model of the catalogue; repeatable', 'name'),
    against: text('Also try this version or label, such as production', 'version'),
    var: values('A variable and its value; repeatable'),
    example: text('The values of this stored example; --var replaces single ones', 'name'),
    ...configFlags,
    maxTokens: whole('The longest answer', 'number', { least: 1, most: 1_000_000 }),
    temperature: text('From 0 to 2', 'number'),
  },
  async run(given, session): Promise<Result> {
    const { prompt, model: models, against, var: typed, example, file, config } = given;
    const { name, version } = readPromptAt(prompt);
    if (models.length === 0) throw misuse('name a model with --model', 'See the models: svc model list');
    const draft = await readTypedConfig('prompt', { file, config });
    if (draft !== undefined && version !== undefined) throw misuse('a draft has no version: leave out the @');
    const stored = example === undefined ? {} : (await findExample(session, name, example)).variables;
    const variables = { ...stored, ...typed };
    const sampling = {
      ...(given.maxTokens !== undefined && { max_tokens: given.maxTokens }),
      ...(given.temperature !== undefined && { temperature: readTemperature(given.temperature) }),
    };
    const texts: Pick<TrialBody, 'version' | 'draft'>[] = [
      draft === undefined ? { version: version ?? 'latest' } : { draft: draft.config },
      ...(against === undefined ? [] : [{ version: readPromptAt(`${name}@${against}`).version ?? against }]),
    ];
    const asked = texts.flatMap((one) =>
      models.map((model) => ({ ...one, ...sampling, variables, model: `models/${readNamed('model', model).name}` })),
    );
    const tried: Tried[] = [];
    for (const body of asked) {
      if (asked.length > 1) session.output.note(faint(headingOf(name, body)));
      tried.push(await tryOne(session, name, body));
    }
    const [first] = tried;
    if (tried.length === 1 && first !== undefined && first.problem !== null) throw first.problem;
    return resultOf(tried);
  },
});

function headingOf(name: string, { version, model }: TrialBody): string {
  return `${version === undefined ? 'the draft' : `prompts/${name}@${version}`} on ${model}`;
}

function resultOf(tried: readonly Tried[]): Result {
  const traces = tried.flatMap(({ trace_id }) => trace_id ?? []);
  const failed = tried.filter(({ problem }) => problem !== null);
  return {
    data: undefined,
    view: [
      table(
        [prose('Text'), 'Model', 'In', 'Out', 'Cost', 'First', 'Total'],
        tried.map(({ text_of, model, used }) => [
          text_of,
          model.replace('models/', ''),
          used?.input_tokens ?? '-',
          used?.output_tokens ?? '-',
          used === null ? '-' : used.cost_usd === null ? 'no price' : `$${used.cost_usd}`,
          seconds(used?.first_token_ms),
          seconds(used?.total_ms),
        ]),
        '',
      ),
      ...tried.flatMap(({ used, model }) =>
        used?.is_cut === true ? [line(`The answer of ${model} ended at its limit of tokens.`)] : [],
      ),
      ...failed.map(({ text_of, model, problem }) => line(`${text_of} on ${model}: ${problem?.message ?? ''}`)),
    ],
    next: traces.map((id) => ({ command: `svc trace show ${id}`, when: 'to see the call' })),
    ...(failed.length > 0 && { exit: 1 as const }),
  };
}

const seconds = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`;

function readTemperature(given: string): number {
  const value = Number(given);
  if (given.trim() === '' || !(value >= 0 && value <= 2))
    throw misuse(`--temperature must be from 0 to 2, not ${given}`);
  return value;
}
