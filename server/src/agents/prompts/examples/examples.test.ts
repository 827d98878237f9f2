// Stored examples of prompts.
import { most_example_characters, most_examples } from '@gantry/contract/agents/prompt-trials.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { makePrompt } from '../../../testing/agents/make-prompt.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
/** Reads the prompt. */
let vera: TestUser;
let eve: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  eve = await app.user('eve@example.com', { teams: { ops: 'admin' } });
  for (const name of ['talk', 'full']) await makePrompt(ada, name, { '1.0.0': 'Hello {{who}}' });
});
afterAll(async () => await app?.stop());

const add = async (
  by: TestUser,
  body: { name: string; variables?: Record<string, string>; expected?: string },
  prompt = 'talk',
) => await by.client.call('prompts.add_example', { params: { name: prompt }, body });
const list = async (by: TestUser, query: { limit?: number; cursor?: string } = {}) =>
  await by.client.call('prompts.examples', { params: { name: 'talk' }, query });
const remove = async (by: TestUser, example: string) =>
  await by.client.call('prompts.delete_example', { params: { name: 'talk', example } });

test('an example is stored, read by who reads the prompt, and deleted; the log has no values', async () => {
  expect(await add(ada, { name: 'grace', variables: { who: 'Grace' }, expected: 'a greeting' })).toMatchObject({
    name: 'grace',
    variables: { who: 'Grace' },
    expected: 'a greeting',
    created_by: ada.email,
  });
  await add(ada, { name: 'alan', variables: { who: 'Alan' } });
  expect((await list(vera)).items.map(({ name }) => name)).toEqual(['alan', 'grace']);
  const first = await list(vera, { limit: 1 });
  expect((await list(vera, { limit: 1, cursor: first.next_cursor ?? '' })).items).toMatchObject([{ name: 'grace' }]);
  await expect(add(ada, { name: 'grace' })).rejects.toMatchObject({ code: 'conflict' });
  await remove(ada, 'alan');
  await expect(remove(ada, 'alan')).rejects.toMatchObject({ status: 404 });
  expect((await list(ada)).items).toHaveLength(1);
  const entries = await app.db.all<{ body: string }>(sql`
    select body from audit.entry where body like '%"prompt.example_%' order by seq`);
  expect(entries).toHaveLength(3);
  expect(JSON.stringify(entries)).not.toMatch(/Grace|greeting/);
});

test('who may not change the prompt stores and deletes no example, and a stranger sees none', async () => {
  for (const by of [vera, eve]) {
    const status = by === vera ? 403 : 404;
    await expect(add(by, { name: 'mine' })).rejects.toMatchObject({ status });
    await expect(remove(by, 'grace')).rejects.toMatchObject({ status });
  }
  await expect(list(eve)).rejects.toMatchObject({ status: 404 });
  expect((await list(ada)).items.map(({ name }) => name)).toEqual(['grace']);
});

test.each<[string, { name: string; variables?: Record<string, string>; expected?: string }]>([
  ['a name with a slash', { name: 'a/b' }],
  ['a NUL', { name: 'nul', variables: { who: 'a\u0000b' } }],
  ['half a character', { name: 'half', variables: { who: '\ud800' } }],
  ['too many characters', { name: 'long', variables: { who: 'x'.repeat(most_example_characters) } }],
  [
    'too many variables',
    { name: 'many', variables: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, ''])) },
  ],
])('an example with %s is refused', async (_, example) => {
  await expect(add(ada, example)).rejects.toMatchObject({ code: 'invalid' });
});

test('a prompt has a limited number of examples, and they end with it', async () => {
  for (let n = 0; n < most_examples; n++) await add(ada, { name: `e${n}` }, 'full');
  await expect(add(ada, { name: 'more' }, 'full')).rejects.toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining(`${most_examples}`) as string,
  });
  await ada.client.call('prompts.move_label', {
    params: { name: 'full', label: 'production' },
    body: { version: '1.0.0' },
  });
  await ada.client.call('registry.delete', { params: { kind: 'prompt', name: 'full' } });
  const left = await app.db.all<{ name: string }>(sql`select name from prompt_example`);
  expect(left.map(({ name }) => name)).toEqual(['grace']);
});
