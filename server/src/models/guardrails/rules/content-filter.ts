// Words and patterns decide in the text; categories are scored by a model.
import {
  contentCategories,
  scoresCategories,
  type ContentCategory,
  type ContentFilterOptions,
} from '@gantry/contract/guardrails/content-filter.ts';
import { placesOf } from '../places-of.ts';
import { JudgeFailed, type Ask, type JsonValue, type JudgeRule, type Rule, type TextRule } from '../rule.ts';
import { askForScores } from './ask-for-scores.ts';
import { matchesPattern } from './pattern.ts';
import { findWords, openForPhrases } from './words.ts';

export function contentFilter(options: ContentFilterOptions, agent_model: string | undefined): Rule[] {
  const { words = [], patterns = [] } = options;
  return [
    ...(words.length + patterns.length > 0 ? [byWords(options)] : []),
    ...(scoresCategories(options) ? [byModel(options, agent_model)] : []),
  ];
}

const longest_pattern_match = 256;

function byWords({ words = [], patterns = [] }: ContentFilterOptions): TextRule {
  const find = findWords(words);
  const matches = patterns.map(({ pattern }) => matchesPattern(pattern));
  const longest = Math.max(patterns.length > 0 ? longest_pattern_match : 0, ...words.map((word) => word.length));
  return {
    kind: 'text',
    name: 'content_filter',
    places: placesOf('content_filter'),
    reads: 'all',
    streams: 'passages',
    openFrom: (text) => openForPhrases(text, longest),
    check: ({ before, text }) => {
      const read = before + text;
      if (find(read) !== undefined) return { kind: 'block', reason: 'The text has a word of the list.' };
      const pattern = matches.findIndex((one) => one(read));
      return pattern < 0
        ? { kind: 'pass' }
        : { kind: 'block', reason: `The text matches pattern ${pattern + 1} of the list.` };
    },
  };
}

function byModel(
  { model, model_kind = 'chat', categories = {}, on_failure = 'block' }: ContentFilterOptions,
  agent_model: string | undefined,
): JudgeRule {
  const chosen = contentCategories.filter(
    (category) => Object.keys(categories).length === 0 || categories[category] !== undefined,
  );
  return {
    kind: 'judge',
    name: 'content_filter',
    places: placesOf('content_filter'),
    reads: 'all',
    on_failure,
    check: async (texts, _, ask) => {
      const asked = { model: requireModel(model ?? agent_model), texts, categories: chosen };
      const scores = await (model_kind === 'moderation' ? moderate(asked, ask) : classify(asked, ask));
      const over = chosen.filter((category) =>
        scores.some((score) => (score[category] ?? 0) >= (categories[category] ?? 0.5)),
      );
      return over.length === 0 ? { kind: 'pass' } : { kind: 'block', reason: `The text is ${over.join(', ')}.` };
    },
  };
}

interface Asked {
  model: string;
  texts: readonly string[];
  categories: readonly ContentCategory[];
}

type Scores = Partial<Record<ContentCategory, number>>;

/** OpenAI's categories and ours; of several, the highest score counts. */
const moderationCategories: Record<ContentCategory, readonly string[]> = {
  harassment: ['harassment', 'harassment/threatening'],
  hate: ['hate', 'hate/threatening'],
  illicit: ['illicit', 'illicit/violent'],
  self_harm: ['self-harm', 'self-harm/intent', 'self-harm/instructions'],
  sexual: ['sexual'],
  sexual_minors: ['sexual/minors'],
  violence: ['violence', 'violence/graphic'],
};

async function moderate({ model, texts, categories }: Asked, ask: Ask): Promise<Scores[]> {
  const results = member(await ask({ kind: 'moderation', model, input: [...texts] }), 'results');
  if (!Array.isArray(results) || results.length !== texts.length)
    throw new JudgeFailed('The moderation has no result per text.');
  return results.map((result) => {
    const scores = member(result, 'category_scores');
    return Object.fromEntries(
      categories.map((category) => [
        category,
        Math.max(...moderationCategories[category].map((name) => scoreOf(member(scores, name)))),
      ]),
    );
  });
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
}

/** Older moderation models lack some categories, which then score 0; anything else is nonsense. */
function scoreOf(value: JsonValue | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1))
    throw new JudgeFailed('The moderation has a score outside 0 to 1.');
  return value;
}

const classify = ({ model, texts, categories }: Asked, ask: Ask): Promise<Scores[]> =>
  askForScores(
    {
      model,
      name: 'content_scores',
      task: 'Score the content of each text in each category, from 0 (absent) to 1 (certain).',
      labels: categories,
      texts,
    },
    ask,
  );

function requireModel(model: string | undefined): string {
  if (model === undefined) throw new JudgeFailed('No model is set for this guardrail.');
  return model;
}
