import { budgetDurations, keyScopes } from '@gantry/contract/models/keys.ts';
import { choice, defineCommand, duration, text } from '../../command.ts';
import { describeKey, describeValue, holderOf } from '../../keys/describe-key.ts';
import { limitFlags, list, readLimits } from '../../keys/limits.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'key create',
  summary: 'Create a gateway key for calls to models, and to agents as models; prints it, once',
  needs: 'key.create_own',
  examples: [
    'svc key create --models "gpt-*" --daily 5',
    'svc key create --models agents/support',
    'svc key create --scope team --scope-id ml --max-budget 200 --budget-duration monthly --tags nightly,batch',
    'svc key create --scope agent --scope-id support --requests-per-minute 60 --expires-in 30d',
  ],
  arguments: {},
  flags: {
    scope: choice('Whom it works for, default user', keyScopes),
    scopeId: text('The name of the team, agent or service principal', 'name'),
    alias: text('A name for people', 'name'),
    models: list(
      'Patterns over names of models, and agents as agents/<name>, separated by commas (default all models that you may use)',
      'globs',
    ),
    maxBudget: text('The most to spend in --budget-duration, in USD', 'usd'),
    budgetDuration: choice('The duration of --max-budget, default monthly', budgetDurations),
    ...limitFlags,
    tags: list('Your own tags for costs, separated by commas', 'list'),
    expiresIn: duration('How long it works (default without an end)', 3650 * 86_400),
  },
  async run(given, session) {
    const { scope = 'user', scopeId, alias, models, maxBudget, budgetDuration, tags, expiresIn } = given;
    const { team } = session.globals;
    const key = await session.call('keys.create', {
      body: {
        scope,
        limits: readLimits(given),
        ...(scopeId === undefined ? {} : { scope_id: scopeId }),
        ...(team === undefined || scope !== 'user' ? {} : { team }),
        ...(alias === undefined ? {} : { alias }),
        ...(models === undefined ? {} : { models }),
        ...(maxBudget === undefined ? {} : { max_budget: maxBudget }),
        ...(budgetDuration === undefined ? {} : { budget_duration: budgetDuration }),
        ...(tags === undefined ? {} : { tags }),
        ...(expiresIn === undefined ? {} : { expires_in_seconds: expiresIn }),
      },
    });
    return {
      data: key,
      view: [
        line(good('✓ '), `${key.prefix}… works for ${holderOf(key)}`),
        describeKey(key),
        ...describeValue(session.server, key),
      ],
      undo: `svc key revoke ${key.prefix}`,
    };
  },
});
