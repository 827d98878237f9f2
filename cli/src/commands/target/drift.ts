import { Problem } from '@gantry/contract/problems.ts';
import { defineCommand, optional } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { suggestAsset } from '../../registry/named.ts';
import type { Session } from '../../session/session.ts';
import { driftLines, type LookedAt } from '../../target/describe-drift.ts';

export const command = defineCommand({
  words: 'target drift',
  summary:
    'What somebody changed by hand at a target, or at all of them; exit 5 when there is drift, 1 when a target does not answer',
  needs: 'target.change',
  examples: ['svc target drift', 'svc target drift cluster --json'],
  arguments: { name: optional('Its name (default: all targets)') },
  flags: {},
  async run({ name }, session) {
    const looked = name === undefined ? await lookAtAll(session) : [await lookAt(session, name)];
    const hasFailed = looked.some(({ reason }) => reason !== null);
    const hasDrift = looked.some(({ drift }) => drift.length > 0);
    const commands = [...new Set(looked.flatMap(({ drift }) => drift.flatMap(({ mend }) => mend ?? [])))];
    return {
      data: looked,
      view: driftLines(looked),
      next: commands.map((command) => ({ command, when: 'to mend it' })),
      exit: hasFailed ? exitCodes.refused : hasDrift ? exitCodes.changes : exitCodes.done,
    };
  },
});

async function lookAt(session: Session, name: string): Promise<LookedAt> {
  const params = { name };
  const looked = await suggestAsset(session, 'target', name, () => session.call('targets.drift', { params }));
  return { ...looked, reason: null };
}

/** One that does not answer hides no other. */
async function lookAtAll(session: Session): Promise<LookedAt[]> {
  const all = await session.call('targets.list', {});
  return await Promise.all(
    all.map(async ({ name }) => {
      try {
        return { ...(await session.call('targets.drift', { params: { name } })), reason: null };
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'engine_unavailable') throw error;
        return { target: name, compares: true, drift: [], reason: error.detail };
      }
    }),
  );
}
