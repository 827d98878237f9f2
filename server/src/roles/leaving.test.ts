import { expect, test } from 'vitest';
import { leavesInOrder, type WhenLeaves } from '../governance/access/when-leaves.ts';
import type { GovernedTx } from '../governance/access/change.ts';
import { openEnvelope } from '../ground/envelope/envelope.ts';
import { stores } from '../assets/secrets/stores/index.ts';
import { whenLeaves } from './leaving.ts';

const parts = whenLeaves(stores({ envelope: openEnvelope(Buffer.alloc(32)) }));
const order = (has: (part: WhenLeaves) => unknown) =>
  parts.filter((part) => has(part) !== undefined).map(({ feature }) => feature);

test('what a leaver had ends in one order: assets first, which can refuse, and keys last', () => {
  expect(order(({ user }) => user)).toEqual(['registry', 'reading grants', 'login', 'service-principals', 'keys']);
  expect(order(({ team }) => team)).toEqual(['registry', 'reading grants', 'keys']);
  expect(order(({ group }) => group)).toEqual(['registry', 'reading grants']);
  expect(order(({ principal }) => principal)).toEqual(['registry', 'reading grants', 'keys']);
  expect(order(({ agent }) => agent)).toEqual(['secrets', 'approvals', 'keys']);
  expect(order(({ heldByTeam }) => heldByTeam)).toEqual(['registry', 'principals', 'service-principals', 'secrets']);
});

test('the parts run one after the other, their ended keys come together, and a refusal ends the rest', async () => {
  const tx = {} as GovernedTx; // no part here uses it
  const ran: string[] = [];
  const part = (feature: string, refuses = false): WhenLeaves => ({
    feature,
    team: async () => {
      await new Promise(setImmediate);
      if (refuses) throw new Error(`${feature} refuses`);
      ran.push(feature);
      return { keys_ended: [`key of ${feature}`] };
    },
    heldByTeam: async () => await Promise.resolve([`held by ${feature}`]),
  });
  const team = { id: 'an id', name: 'ml' };
  const leaves = leavesInOrder([part('first'), { feature: 'another' }, part('second')]);
  expect(await leaves.team(tx, team)).toEqual({ keys_ended: ['key of first', 'key of second'] });
  expect(ran).toEqual(['first', 'second']);
  expect(await leaves.agent(tx, team)).toEqual({});
  expect(await leavesInOrder([part('first'), part('last')]).heldByTeam(tx, team.id)).toEqual([
    'held by first',
    'held by last',
  ]);
  ran.length = 0;
  await expect(leavesInOrder([part('first'), part('strict', true), part('last')]).team(tx, team)).rejects.toThrow(
    'strict refuses',
  );
  expect(ran).toEqual(['first']);
});
