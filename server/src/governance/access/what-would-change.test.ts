import { expect, test } from 'vitest';
import { roles, type Action, type Operation } from '@gantry/contract/roles.ts';
import { decide } from './decide.ts';
import { agent, approved, open, user } from '../../testing/access/deciding.ts';
import type { Entry } from './subject.ts';
import { apply, whatWouldChange } from './what-would-change.ts';

const operations = {
  read: 'asset.read',
  use: 'asset.invoke',
  write: 'asset.write',
  publish: 'asset.publish',
  deploy: 'agent.deploy',
  admin: 'permission.change',
} as const satisfies Record<Action, Operation>;

/** Every combination of roles, entries, visibility and approval. */
function* situations() {
  const own: Entry = { principal_type: 'user', principal_id: 'xeno', actions: ['write', 'deploy', 'admin'] };
  for (const id of ['owner', 'xeno'])
    for (const platform of roles)
      for (const ml of [undefined, ...roles])
        for (const visibility of ['org', 'team', 'private'] as const)
          for (const gate of [open, approved])
            for (const more of [[], [own]])
              for (const [action, operation] of Object.entries(operations) as [Action, Operation][])
                yield {
                  caller: user(id, platform, ml),
                  operation,
                  action,
                  subject: agent(gate, visibility, more),
                };
}

test('each answer reverses the decision, and no part of it does', () => {
  let answers = 0;
  for (const asked of situations()) {
    const { allowed } = decide(asked.caller, asked.operation, asked.subject);
    for (const together of whatWouldChange(asked)) {
      answers++;
      const after = together.reduce(apply, asked);
      expect(decide(after.caller, after.operation, after.subject).allowed).toBe(!allowed);
      for (const left_out of together) {
        const without = together.filter((change) => change !== left_out).reduce(apply, asked);
        expect(decide(without.caller, without.operation, without.subject).allowed).toBe(allowed);
      }
    }
  }
  expect(answers).toBeGreaterThan(1000);
});

test('every refusal has at least one remedy', () => {
  const refused = [...situations()].filter((asked) => !decide(asked.caller, asked.operation, asked.subject).allowed);
  expect(refused.length).toBeGreaterThan(500);
  expect(refused.filter((asked) => whatWouldChange(asked).length === 0)).toEqual([]);
});
