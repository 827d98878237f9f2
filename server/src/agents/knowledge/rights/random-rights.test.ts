// Searches of random people in random organisations, by words and by meaning, against the definition: exactly the documents that the person may read, with the
// ranks, scores and counts of an organisation in which there are no others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { embeddingConfig, realEmbeddings, type RealEmbeddings } from '../../../testing/models/real-embeddings.ts';
import { printFigures } from '../../../testing/print-figures.ts';
import { inSoak } from '../../../testing/config.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

const searches = inSoak(200, 10_000);
const at_once = 8;
const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'flint'];
const teams = ['red', 'blue', 'green'];
const groups = ['dawn', 'dusk'];
const people = 6;

let app: TestApp;
let model: RealEmbeddings;
const users: { user: TestUser; keys: string[] }[] = [];

const folders = ['hr', 'law', 'it'];

interface Rule {
  documents: string;
  readers: string[];
}
interface Document {
  title: string;
  text: string;
  readers?: string[];
}

const any = <T>(list: readonly T[]): T => {
  const found = list[Math.floor(Math.random() * list.length)];
  if (found === undefined) throw new Error('the list is empty');
  return found;
};
const some = <T>(list: readonly T[]): T[] => list.filter(() => Math.random() < 0.3);

beforeAll(async () => {
  model = await realEmbeddings();
  app = await testApp({ config: { outbound_private_hosts: [model.host] } });
  for (let n = 0; n < people; n++) {
    // One person of each team makes it.
    const member_of = n === 0 ? teams : some(teams);
    const roles = Object.fromEntries(['ml', ...member_of].map((team) => [team, 'viewer' as const]));
    const user = await app.user(`person-${n}@example.com`, { teams: roles });
    users.push({ user, keys: [`user:${user.email}`, ...member_of.map((team) => `team:${team}`)] });
  }
  for (const name of groups) {
    const { id } = await app.admin.client.call('groups.create', { body: { name, team: 'ml' } });
    for (const { user, keys } of some(users)) {
      await app.admin.client.call('groups.add_member', { params: { id }, body: { email: user.email } });
      keys.push(`group:${name}`);
    }
  }
  await create('model', 'embed', embeddingConfig(model.base_url));
}, 150_000);
afterAll(async () => {
  await app?.stop();
  await model?.stop();
});

const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
  await app.admin.client.call('registry.create', {
    params: { kind },
    body: { name, team: 'ml', visibility: 'team', config: config as Record<string, string> },
  });

const names = () => [
  ...teams.map((team) => `team:${team}`),
  ...groups.map((group) => `group:${group}`),
  ...users.map(({ user }) => `user:${user.email}`),
];

function randomDocuments(): Document[] {
  return Array.from({ length: 40 }, (_, n) => ({
    title: `${any(folders)}/document-${n}`,
    text: Array.from({ length: 1 + Math.floor(Math.random() * 12) }, () => any(words)).join(' '),
    ...(Math.random() < 0.7 && { readers: some(names()) }),
  }));
}

/** The base, and an index of it alone. */
async function baseOf(name: string, documents: readonly Document[], rights: readonly Rule[]): Promise<void> {
  await create('knowledge-base', name, { documents, rights });
  expect(await refreshed(app.admin.client, 'knowledge.refresh', name)).toMatchObject({ state: 'done' });
  await create('rag-index', `${name}-index`, { embedding_model: 'models/embed', knowledge_bases: [`kb/${name}`] });
  expect(await refreshed(app.admin.client, 'knowledge.refresh_index', `${name}-index`)).toMatchObject({
    state: 'done',
  });
}

const ways = ['words', 'both'] as const;
const search = async ({ client }: TestUser, way: (typeof ways)[number], name: string, query: string) => {
  const body = { query, limit: 200 };
  const { passages, notices } =
    way === 'words'
      ? await client.call('knowledge.search', { params: { name }, body })
      : await client.call('knowledge.search_index', { params: { name: `${name}-index` }, body });
  expect(notices).toEqual([]);
  return passages.map(({ path, score }) => `${path} ${score}`);
};

/** What somebody sees of a snapshot. */
const contents = async ({ client }: TestUser, name: string) => {
  const shown = await client.call('knowledge.snapshot', { params: { name, number: 1 } });
  const { documents, failures, added, changed, removed, gone, unreadable, listed } = shown;
  return { documents, failures, added, changed, removed, gone, unreadable, paths: listed.map(({ path }) => path) };
};

test('each search finds exactly what its person may read', { timeout: inSoak(120_000, 1_800_000) }, async () => {
  const documents = randomDocuments();
  const rights = some(folders).map((folder) => ({ documents: `${folder}/*`, readers: some(names()) }));
  /** A name counts when the document and the rule of its folder have it. */
  const mayRead = ({ keys }: (typeof users)[number], { title, readers }: Document) => {
    const lists = [readers, rights.find((rule) => title.startsWith(rule.documents.slice(0, -1)))?.readers];
    const given = lists.filter((list) => list !== undefined);
    return given.length === 0 || keys.some((key) => given.every((list) => list.includes(key)));
  };
  await baseOf('all', documents, rights);
  // What each person may read, as a base of its own.
  for (const [n, person] of users.entries())
    await baseOf(
      `only-${n}`,
      documents.filter((one) => mayRead(person, one)).map(({ readers: _, ...one }) => one),
      [],
    );
  const wanted = new Map<string, string>();
  for (const [n, person] of users.entries()) {
    expect(await contents(person.user, 'all')).toEqual(await contents(person.user, `only-${n}`));
    for (const word of words) {
      const alone = await search(person.user, 'words', `only-${n}`, word);
      expect(alone.length).toBe(documents.filter((one) => mayRead(person, one) && one.text.includes(word)).length);
      wanted.set(`${n} words ${word}`, JSON.stringify(alone));
      wanted.set(`${n} both ${word}`, JSON.stringify(await search(person.user, 'both', `only-${n}`, word)));
    }
  }
  let wrong = 0;
  let passages = 0;
  const one = async () => {
    const n = Math.floor(Math.random() * users.length);
    const [word, person, way] = [any(words), any(users.slice(n, n + 1)), any(ways)];
    const found = await search(person.user, way, 'all', word);
    passages += found.length;
    if (JSON.stringify(found) !== wanted.get(`${n} ${way} ${word}`)) wrong += 1;
  };
  for (let done = 0; done < searches; done += at_once) await Promise.all(Array.from({ length: at_once }, one));
  printFigures('random rights', { searches, wrong, passages });
  expect(wrong).toBe(0);
});
