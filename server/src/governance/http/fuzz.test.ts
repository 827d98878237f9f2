// The running service against its own OpenAPI document. schemathesis makes the requests, and several callers send each of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describedEndpoints } from '@gantry/contract/openapi/described.ts';
import { fuzz, type Fuzzed } from '../../testing/fuzz/fuzz.ts';
import { openFuzzStage, type FuzzActor, type FuzzStage } from '../../testing/fuzz/fuzz-stage.ts';
import { inSoak } from '../../testing/config.ts';

const fuzzing_ms = 400_000;

// Excluded, because they would end the run: the end of the caller's own session, and two answers without end.
const excluded = ['auth.revoke', 'audit.follow', 'events.follow'];

let stage: FuzzStage;
let fuzzed: Fuzzed<FuzzActor>;
beforeAll(async () => {
  stage = await openFuzzStage();
  const { anonymous, viewer, contributor, machine, admin } = stage.tokens;
  const plan = {
    url: stage.app.url,
    canaries: { ...stage.hidden, ...stage.secret },
    seed: 4,
    examples: inSoak(1, 50),
    known: stage.known,
    archives: stage.archives,
    unavailable: ['engine_unavailable'],
    excluded,
  };
  const actors = {
    anonymous: { token: anonymous, may_read: [] },
    viewer: { token: viewer, may_read: [] },
    contributor: { token: contributor, may_read: [] },
    machine: { token: machine, may_read: [] },
  };
  const signal = AbortSignal.timeout(fuzzing_ms);
  const others = await fuzz({ ...plan, actors }, signal);
  // After the others, because the admin can show hidden objects to them, by a grant or a visibility.
  const may_read = Object.keys(stage.hidden);
  const asAdmin = await fuzz({ ...plan, actors: { admin: { token: admin, may_read } } }, signal);
  fuzzed = {
    faults: { ...others.faults, ...asAdmin.faults },
    counts: { ...others.counts, ...asAdmin.counts },
    shown: { ...others.shown, ...asAdmin.shown },
  };
}, fuzzing_ms);
afterAll(async () => await stage?.close());

test('every reply to every caller is as described, no server error, and shows nothing hidden', () => {
  expect(fuzzed.faults).toEqual({});
});

test('every endpoint of the contract was called, except the excluded ones', () => {
  // Schemathesis leaves out the address of the document itself.
  const leftOut = [...excluded, 'service.openapi'];
  const expected = describedEndpoints.flatMap(([name]) => (leftOut.includes(name) ? [] : [name]));
  for (const asked of Object.values(fuzzed.counts)) expect(Object.keys(asked).toSorted()).toEqual(expected.toSorted());
});

// The canaries are in fields that replies show, so an allowed reader finds them with the same requests.
test('the admin sees the text that is hidden from the others', () => {
  expect(fuzzed.shown.admin).toEqual(Object.keys(stage.hidden).toSorted());
});

// Otherwise the tests above could pass with only refused requests.
test.each<[FuzzActor, { requests: number; endpoints: number }]>([
  ['anonymous', { requests: 3, endpoints: 3 }],
  ['viewer', { requests: 40, endpoints: 22 }],
  ['contributor', { requests: 40, endpoints: 25 }],
  ['machine', { requests: 35, endpoints: 20 }],
  ['admin', { requests: 100, endpoints: 45 }],
])('%s succeeds often, at many endpoints', (actor, least) => {
  const letIn = Object.values(fuzzed.counts[actor]).map((statuses) =>
    Object.entries(statuses).reduce((sum, [status, times]) => (status.startsWith('2') ? sum + times : sum), 0),
  );
  expect(letIn.reduce((sum, times) => sum + times, 0)).toBeGreaterThanOrEqual(least.requests);
  expect(letIn.filter((times) => times > 0).length).toBeGreaterThanOrEqual(least.endpoints);
});
