// Agents with a version and a revision that seems to run, without a resolver and without containers. They have the rows after a push's last
// step and a deploy's step 7. For tests of permissions.
import { randomUUID } from 'node:crypto';
import { checkProject } from '@gantry/project/agent-project.ts';
import { loadCaller } from '../../people/principals/load-caller.ts';
import { findUser } from '../../people/principals/find.ts';
import { sql } from '../../ground/database/sql.ts';
import { manifestOf, schemaOf, sha256, sourceDigest, type Content } from '../../assets/registry/content.ts';
import { insertBlob } from '../../assets/registry/content-store.ts';
import { findVersionById } from '../../assets/registry/find.ts';
import type { PushInput } from '../../assets/registry/push/push-input.ts';
import { storeVersion } from '../../assets/registry/push/store-version.ts';
import { readArchive } from '../../assets/registry/archive/read-archive.ts';
import type { Run } from '../../ground/runs/run.ts';
import { projectOf, type TestProject } from '../pushes/project-archive.ts';
import type { TestApp } from '../test-app.ts';

export interface StoredAgent {
  name: string;
  /** agents/<name>@<version> */
  ref: string;
  asset_id: string;
  version_id: string;
  digest: string;
}

/** A draft of this project, with the rows of a push. */
export async function storeAgent(
  { db }: Pick<TestApp, 'db'>,
  pusher: string,
  project: TestProject & { name: string },
  pins: Content['pins'] = [],
): Promise<StoredAgent> {
  const user = await findUser(db, pusher);
  const caller = user && (await loadCaller(db, user.id, { request_id: null, ip: null, receipts: [] }));
  if (user === undefined || caller === undefined) throw new Error(`there is no ${pusher}`);
  const files = await readArchive(projectOf(project));
  const { config, findings } = checkProject(files);
  if (config === undefined) throw new Error(`the project is invalid: ${JSON.stringify(findings)}`);
  const manifest = manifestOf(files);
  for (const bytes of files.values()) await insertBlob(db, sha256(bytes), bytes);
  const team = await db.one<{ id: string }>(sql`select id from team where name = ${config.team}`);
  const source = sourceDigest({ config, manifest });
  const input: PushInput = {
    asset_id: null,
    team_id: team?.id ?? '',
    owner_id: user.id,
    config,
    manifest,
    source,
    dependencies: { requirements: [], constraints: [], requires_python: [] },
    message: '',
    notices: [],
    origin: { request_id: null, ip: null },
  };
  const resolved = {
    lock: '',
    python: '3.11.2',
    base_image: 'sha256:base',
    dependencies: { packages: [], built_from_source: [] },
  };
  const content: Content = { schema: schemaOf(pins, 2), config, manifest, pins, ...resolved };
  const stored = await storeVersion(db, standIn(input, caller.email), caller, content, source);
  return { ...stored, name: config.name, ref: `agents/${config.name}@${config.version}` };
}

/** From now on this revision answers for the agent, at `url`. Returns the revision's id. */
export async function serveAgent(
  app: Pick<TestApp, 'db' | 'governed'>,
  agent: StoredAgent,
  url: string,
): Promise<string> {
  const id = randomUUID();
  const version = (await findVersionById(app.db, agent.version_id))?.version ?? '';
  await app.governed(sql`insert into revision (id, agent_id, version_id, version, digest, target, image, deployed_by, deployed_by_name)
    select ${id}, ${agent.asset_id}, ${agent.version_id}, ${version}, ${agent.digest}, 'local', 'sha256:image', id, email from app_user limit 1 returning id`);
  await app.db.run(sql`insert into placement (revision_id, agent_id, agent, target)
    values (${id}, ${agent.asset_id}, ${agent.name}, 'local')`);
  const place = JSON.stringify({ container_name: `svc-${agent.name}`, container_id: id.replaceAll('-', '') });
  await app.db.run(sql`insert into instance (revision_id, target, place, url, state, detail, seen_at)
    values (${id}, 'local', ${place}, ${url}, 'serving', 'It answers.', clock_now())`);
  await app.governed(
    sql`insert into route (agent_id, target, revision_id, desired, is_default)
      values (${agent.asset_id}, 'local', ${id}, 'running', true) returning id`,
  );
  await app.governed(
    sql`update asset set serving_version_id = ${agent.version_id} where id = ${agent.asset_id} returning id`,
  );
  return id;
}

function standIn(input: PushInput, name: string): Run<PushInput> {
  const run: Run<PushInput> = {
    id: randomUUID(),
    input,
    actor: { user_id: input.owner_id, name },
    fence: 1,
    waited_ms: 0,
    signal: new AbortController().signal,
    log: () => {},
    notice: () => {},
    step: async (_, work) => await work(run),
    fenced: async () => {},
    settle: async () => {},
  };
  return run;
}
