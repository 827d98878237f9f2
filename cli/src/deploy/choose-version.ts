// Turns the input of `svc deploy` into a version in the registry. A reference is used as given, and a project is pushed.
import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, parseVersionRef, printVersionRef } from '@gantry/contract/refs.ts';
import { isAtLeast, type Role } from '@gantry/contract/roles.ts';
import { bumpFile, versionParts } from '../project/bump.ts';
import { checkHere } from '../project/check-here.ts';
import { pushProject, type PushWish } from '../project/push.ts';
import { readProject, type LocalProject } from '../project/read-project.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { withRequest } from './approval-request.ts';

/** `agents/greeter@1.0.0`; the newest version of `agents/greeter`; undefined for a path. */
export async function versionByReference(session: Session, what: string | undefined): Promise<string | undefined> {
  if (what === undefined) return undefined;
  const version = parseVersionRef(what);
  if (version !== undefined) return printVersionRef(version);
  const ref = parseRef(what);
  if (ref === undefined) {
    if (/^[a-z-]+\/[^/]*@/.test(what))
      throw misuse(`"${what}" is not a reference`, 'Write it like agents/greeter@1.0.0.');
    return undefined;
  }
  const { latest_version } = await session.call('registry.show', { params: { kind: ref.kind, name: ref.name } });
  if (latest_version === null)
    throw new CliRefusal('not_pushed', `${what} has no version yet`, { hint: 'Run `svc submit` in its folder.' });
  return printVersionRef({ ...ref, version: latest_version });
}

export interface ProjectDeploy extends PushWish {
  directory: string | undefined;
  bump: (typeof versionParts)[number] | undefined;
  target: string | undefined;
}

/** Pushes and returns the reference. A user who may not deploy is refused before the push. */
export async function versionByPush(
  session: Session,
  { directory, bump, target, ...wish }: ProjectDeploy,
): Promise<string> {
  const project = readProject(directory);
  const { config } = checkHere(project);
  const ref = printVersionRef({ kind: 'agent', name: config.name, version: config.version });
  if (!isAtLeast(await roleIn(session, config.team), 'deployer')) throw await refuseDeploy(session, ref, target);
  if (bump !== undefined) session.output.note(`agent.yaml now says ${bumpFile(project.directory, 'agent.yaml', bump)}`);
  try {
    return (await pushProject(session, project, wish)).push.ref;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'version_final' || !(await session.prompt.canAsk())) throw error;
    return await offerBump(session, project, wish, error);
  }
}

/** The version that a deploy would use, without a push. */
export async function versionInProject(session: Session, directory: string | undefined): Promise<string> {
  const { config } = checkHere(readProject(directory));
  const ref = printVersionRef({ kind: 'agent', name: config.name, version: config.version });
  session.output.notice(`--plan pushes nothing: it checks the last push of ${ref}, not the files here.`);
  return ref;
}

async function offerBump(session: Session, project: LocalProject, wish: PushWish, refusal: Problem): Promise<string> {
  session.output.note(refusal.detail);
  const part = await session.prompt.choose(
    'Give this change a new version?',
    [
      ...versionParts.toReversed().map((each) => ({ value: each, label: `yes: raise ${each}` })),
      { value: 'no' as const, label: 'no' },
    ],
    '--bump',
  );
  if (part === 'no') throw refusal;
  bumpFile(project.directory, 'agent.yaml', part);
  return (await pushProject(session, project, wish)).push.ref;
}

async function roleIn(session: Session, team: string): Promise<Role> {
  const user = await session.call('auth.me', {});
  const inTeam = user.teams.find(({ name }) => name === team)?.role ?? 'viewer';
  return isAtLeast(user.role, inTeam) ? user.role : inTeam;
}

/** The service itself refuses a known version, so that the attempt is in its log. This refuses an unknown one. */
async function refuseDeploy(session: Session, ref: string, target: string | undefined): Promise<unknown> {
  try {
    const started = await session.call('deployments.create', {
      body: { ref, ...(target === undefined ? {} : { target }) },
    });
    return new CliRefusal('role_changed', `Your role has just changed, and ${ref} is being deployed`, {
      hint: `Run \`svc deployments watch ${started.id}\`.`,
    });
  } catch (error) {
    const refusal =
      error instanceof Problem && error.code === 'not_found'
        ? new Problem('forbidden', {
            detail: 'A contributor submits; a deployer of the team deploys the approved version',
            hint: 'Run `svc submit --message "…"`.',
          })
        : error;
    return await withRequest(session, { ref, target }, refusal);
  }
}
