import type { Pin } from '../../assets/registry/content.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp, TestUser } from '../test-app.ts';

/** A prompt of team ml with one text for each of these versions. */
export async function makePrompt(
  { client }: Pick<TestUser, 'client'>,
  name: string,
  texts: Record<string, string>,
): Promise<void> {
  const [first, ...more] = Object.entries(texts);
  if (first === undefined) throw new Error('a prompt has a version');
  const configOf = (template: string) => ({
    template,
    variables: template.includes('{{who}}') ? [{ name: 'who', description: 'A name' }] : [],
  });
  const [version, text] = first;
  const body = { name, team: 'ml', version, visibility: 'team' as const, config: configOf(text) };
  await client.call('registry.create', { params: { kind: 'prompt' }, body });
  for (const [next, template] of more)
    await client.call('registry.edit', {
      params: { kind: 'prompt', name },
      body: { version: next, config: configOf(template) },
    });
}

/** What the push of an agent would have stored of `ref`, which names this prompt at this version. */
export async function pinOfPrompt(
  { db }: Pick<TestApp, 'db'>,
  { ref, name, version }: { ref: string; name: string; version: string },
): Promise<Pin> {
  const row = await db.one<{ asset_id: string; digest: string }>(sql`
    select v.asset_id, v.digest from version v join asset a on a.id = v.asset_id
    where a.kind = 'prompt' and a.name = ${name} and v.version = ${version}`);
  if (row === undefined) throw new Error(`there is no ${name}@${version}`);
  return { ref, version, ...row };
}
