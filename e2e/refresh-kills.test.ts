// Both services are killed with -9 while refreshes are at every stage: what served before serves until the new snapshot does, each refresh ends, and no chunk is
// embedded again beyond the batch that was asked for.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bucketServer } from '../server/src/testing/servers/bucket-server.ts';
import { embeddingConfig, realEmbeddings, type RealEmbeddings } from '../server/src/testing/models/real-embeddings.ts';
import { heldProxy, type HeldProxy } from './held-proxy.ts';
import {
  atRefreshGate,
  buildRefreshGate,
  closeRefreshGate,
  endStatementsAtGate,
  openRefreshGate,
} from './refresh-gate.ts';
import { openServices, type Services } from './services.ts';

interface Stage {
  /** The name of its base, too. */
  name: string;
  /** The answer of a source or of the model that waits; without it a statement waits (refresh-gate.ts). */
  answer?: string;
  /** What serves at that moment. */
  serves?: 'new';
}

/** In two rounds, because a service refreshes two bases of a team at a time. */
const rounds: Stage[][] = [
  [
    { name: 'listing', answer: 'prefix=listing' },
    { name: 'writing' },
    { name: 'embedding', answer: 'Section 129 of embedding' },
    { name: 'serving' },
  ],
  [
    { name: 'fetching', answer: '/fetching/b.md' },
    { name: 'cutting' },
    { name: 'recall', answer: 'Where is the answer of recall?' },
    { name: 'ending', serves: 'new' },
  ],
];
const stages = rounds.flat();
/** A batch of vectors is 100 chunks, so the embedding of these has a second one. */
const sections = 130;

let model: RealEmbeddings;
let vectors: HeldProxy;
let sources: HeldProxy;
let services: Services;
beforeAll(async () => {
  model = await realEmbeddings();
  vectors = await heldProxy(`http://${model.host}`);
});
afterAll(async () => {
  await services?.stop();
  await sources?.stop();
  await vectors?.stop();
  await model?.stop();
});

test('a refresh outlasts a kill at every stage, and nothing is half visible or embedded twice', async () => {
  const bucket = await bucketServer('docs');
  sources = await heldProxy(bucket.url);
  const env = { OUTBOUND_PRIVATE_HOSTS: `${sources.host},${vectors.host}` };
  services = await openServices({ count: 2, roles: 'api,worker,ingress,gateway', env });
  await buildRefreshGate(services.db);
  for (const { name } of stages) await bucket.put(`${name}/a.md`, `The old answer of ${name}.`);
  await createAll(bucket.key);
  for (const { name } of stages) await ended(name, await begin(name));
  const { id } = await services.admin(0).call('knowledge.refresh_index', { params: { name: 'all' } });
  await ended('all', id);
  expect(await found()).toEqual(Object.fromEntries(stages.map(({ name }) => [name, ['old']])));
  for (const { name } of stages) {
    await bucket.put(`${name}/a.md`, `The new answer of ${name}.`);
    const text = Array.from({ length: sections }, (_, n) => `# Part ${n}\n\nSection ${n} of ${name}.\n`).join('\n');
    await bucket.put(`${name}/b.md`, text);
  }
  for (const round of rounds) {
    const answers = round.flatMap(({ answer }) => answer ?? []);
    const waiting = { answers: answers.toSorted(), statements: round.length - answers.length };
    const atGates = async () => ({
      answers: [...sources.held(), ...vectors.held()].toSorted(),
      statements: await atRefreshGate(services.db),
    });
    for (const proxy of [sources, vectors]) proxy.hold(answers);
    await closeRefreshGate(
      services.db,
      round.map(({ name }) => name),
    );
    const before = await found();
    const refreshes = await Promise.all(round.map(async ({ name }) => ({ name, id: await begin(name) })));
    await expect.poll(atGates, { timeout: 60_000, interval: 50 }).toEqual(waiting);
    await Promise.all([services.kill(0), services.kill(1)]);
    await endStatementsAtGate(services.db);
    await expect.poll(atGates).toEqual({ answers: [], statements: 0 });
    await Promise.all([services.start(0), services.start(1)]);
    const meanwhile = {
      ...before,
      ...Object.fromEntries(round.flatMap(({ name, serves }) => (serves ? [[name, whole]] : []))),
    };
    expect(await found()).toEqual(meanwhile);
    // The refreshes have gone on, to where they were.
    await expect.poll(atGates, { timeout: 60_000, interval: 50 }).toEqual(waiting);
    expect(await found()).toEqual(meanwhile);
    for (const { name, serves } of round)
      expect([name, await snapshotsOf(name)]).toEqual([name, serves ? [2, 1] : [1]]);
    await openRefreshGate(services.db);
    for (const proxy of [sources, vectors]) proxy.open();
    for (const refresh of refreshes) await ended(refresh.name, refresh.id);
    for (const { name } of round) expect([name, await snapshotsOf(name)]).toEqual([name, [2, 1]]);
  }
  expect(await found()).toEqual(Object.fromEntries(stages.map(({ name }) => [name, whole])));
  expect(timesEmbedded()).toEqual(
    stages.flatMap(({ name }) =>
      Array.from({ length: sections }, (_, n) => {
        // The batch whose answer was held had been asked for when the services were killed.
        const times = name === 'embedding' && n >= first_batch ? 2 : 1;
        return `Section ${n} of ${name}: ${times}`;
      }),
    ),
  );
});

const whole = ['new', 'part'];
/** After the chunk of a.md, the first batch has 99 sections. */
const first_batch = 99;

async function createAll(key: string): Promise<void> {
  const admin = services.admin(0);
  await admin.call('secrets.set', { body: { name: 'BUCKET', team: 'default', value: key } });
  const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
    await admin.call('registry.create', {
      params: { kind },
      body: { name, team: 'default', config: config as Record<string, string> },
    });
  await create('model', 'embed', embeddingConfig(`${vectors.url}/v1`));
  for (const { name } of stages)
    await create('knowledge-base', name, {
      bucket: { name: 'docs', endpoint: sources.url, prefix: `${name}/`, secret: 'BUCKET' },
      questions: [{ question: `Where is the answer of ${name}?`, expects: [`${name}/a.md`] }],
      min_recall: 1,
    });
  const knowledge_bases = stages.map(({ name }) => `kb/${name}`);
  await create('rag-index', 'all', { embedding_model: 'models/embed', knowledge_bases, top_k: 200 });
}

async function begin(name: string): Promise<string> {
  return (await services.admin(0).call('knowledge.refresh', { params: { name } })).id;
}

async function ended(name: string, id: string): Promise<void> {
  const shown = async () => {
    const { state, problem } = await services.admin(1).call('refreshes.show', { params: { id } });
    return [name, state, problem];
  };
  await expect.poll(shown, { timeout: 60_000, interval: 100 }).not.toContain('running');
  expect(await shown()).toEqual([name, 'done', null]);
}

async function snapshotsOf(name: string): Promise<number[]> {
  const { items } = await services.admin(1).call('knowledge.snapshots', { params: { name }, query: {} });
  return items.map(({ number }) => number);
}

/** Of each base: which texts are found. */
async function found(): Promise<Record<string, string[]>> {
  const body = { query: 'answer 129', limit: 200 };
  const { passages, notices } = await services
    .admin(1)
    .call('knowledge.search_index', { params: { name: 'all' }, body });
  expect(notices).toEqual([]);
  const kinds = Object.fromEntries(stages.map(({ name }) => [name, new Set<string>()]));
  for (const { base, text } of passages)
    kinds[base.split('/').at(-1) ?? '']?.add(text.includes('old') ? 'old' : text.includes('new') ? 'new' : 'part');
  return Object.fromEntries(Object.entries(kinds).map(([name, set]) => [name, [...set].toSorted()]));
}

function timesEmbedded(): string[] {
  const times = new Map<string, number>();
  for (const body of vectors.answered)
    for (const [one] of body.matchAll(/Section \d+ of \w+/g)) times.set(one, (times.get(one) ?? 0) + 1);
  return stages.flatMap(({ name }) =>
    Array.from({ length: sections }, (_, n) => `Section ${n} of ${name}`).map(
      (one) => `${one}: ${times.get(one) ?? 0}`,
    ),
  );
}
