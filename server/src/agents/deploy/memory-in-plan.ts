// What a deploy does to the memory of an agent, for the person who plans it. What is kept ends by the time of the serving revision, so a shorter time
// also ends what is there.
import type { Plan } from '@gantry/contract/agents/deploy-plan.ts';
import type { MemoryConfig } from '@gantry/project/asset-config/memory-config.ts';
import { memoryOfAgent } from '../../assets/registry/references/memory-of-agent.ts';
import type { Reader } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';

type Verdict = Plan['verdicts'][number];

/** Empty without a memory config, now and until now. */
export async function memoryInPlan(
  db: Reader,
  { before, after }: { before: string | undefined; after: string },
): Promise<Verdict[]> {
  const [was, is] = [
    before === undefined ? undefined : await memoryOfAgent(db, before),
    await memoryOfAgent(db, after),
  ];
  if (was === undefined && is === undefined) return [];
  const { memory_kept_days } = await settings(db);
  const by_default = memory_kept_days === null ? Infinity : memory_kept_days * day;
  const [kept, until_now] = [is?.config.ttl_seconds ?? by_default, was?.config.ttl_seconds ?? by_default];
  const says = [
    `${is?.ref ?? 'Without a memory config'}: threads and items ${kept === Infinity ? 'never end' : `end ${durationOf(kept)} after their last use`}`,
    ...(is === undefined ? [] : windowOf(is.config)),
  ].join('; ');
  if (before === undefined || kept >= until_now) return [{ check: 'memory', verdict: 'pass', detail: `${says}.` }];
  const ends = `Until now ${until_now === Infinity ? 'never' : durationOf(until_now)}: older ones end within an hour of the deploy, for good.`;
  return [{ check: 'memory', verdict: 'notice', detail: `${says}. ${ends}` }];
}

function windowOf({ kind, max_messages, max_tokens }: MemoryConfig): string[] {
  if (kind === 'buffer') return [];
  const most = [
    ...(max_messages === undefined ? [] : [`${max_messages} messages`]),
    ...(max_tokens === undefined ? [] : [`${max_tokens} tokens`]),
  ].join(' and ');
  return [`its model gets the newest ${most}${kind === 'summary' ? ', and a summary of the rest' : ''}`];
}

const day = 86_400;
const units = [
  ['day', day],
  ['hour', 3600],
  ['minute', 60],
] as const;

function durationOf(seconds: number): string {
  const [name, size] = units.find(([, size_]) => seconds % size_ === 0) ?? (['second', 1] as const);
  return `${seconds / size} ${name}${seconds === size ? '' : 's'}`;
}
