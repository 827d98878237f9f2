// From nothing to an answering agent. Each part acts only where something is missing, so a second run changes nothing. The seed password is
// replaced before anything listens, so the documented one never works.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { versionByPush } from './deploy/choose-version.ts';
import { requestDeployment } from './deploy/request-deployment.ts';
import { watchDeployment } from './deploy/watch-deployment.ts';
import { readPrivateFile } from './session/private-file.ts';
import { copyExample } from './project/make-project.ts';
import { CliRefusal } from './refusal.ts';
import { findServer, isReady, runServerProgram, startServer } from './server/server-process.ts';
import type { Session } from './session/session.ts';
import { signIn } from './session/sign-in.ts';
import { storeToken } from './session/tokens.ts';
import { good } from './view/view.ts';

// Differs from the guide's first agent, because names of agents are unique in the organisation.
const agent = 'hello';
const team = 'default';
// The one admin of a fresh installation (server/src/people/principals/seed.ts).
const seededAdmin = 'admin@gantry.local';

export interface Quickstarted {
  url: string;
  admin_email: string;
  password_file: string;
  agent: string;
  endpoint: string | null;
  answer: Record<string, unknown>;
}

export async function quickstart(session: Session): Promise<Quickstarted> {
  const printStep = (part: string, sentence: string): void => session.output.note(good('✓ '), `${part}: ${sentence}`);
  const { admin_email, password_file } = await seed(session, printStep);
  const url = await ensureServer(session, printStep);
  const there = session.against(url);
  await ensureSession(there, { admin_email, password_file }, printStep);
  // A session finds its token once, so the new token needs a new session.
  const signedIn = session.against(url);
  const { endpoint } = await ensureAgent(signedIn, printStep);
  const response = await signedIn.call('invoke.call', {
    params: { name: agent },
    body: Buffer.from(JSON.stringify({ input: { message: 'hi, I am Ada' } })),
  });
  const answer = (await response.json()) as Record<string, unknown>; // the wrapper's envelope; only shown
  return { url, admin_email, password_file, agent, endpoint, answer };
}

type PrintStep = (part: string, sentence: string) => void;
interface Admin {
  admin_email: string;
  password_file: string;
}

async function seed(session: Session, printStep: PrintStep): Promise<Admin> {
  const password_file = path.join(session.config.settings_directory, 'admin-password');
  // A running server holds the database and has been seeded; the seeded admin's address comes from the spec.
  if (findServer(session.config) !== undefined) {
    printStep('admin', `already set up; the password is in ${password_file}`);
    return { admin_email: seededAdmin, password_file };
  }
  session.output.progress(['… ', 'setting up the database and the admin']);
  const printed = await runServerProgram(session, ['seed', '--password-file', password_file]);
  session.output.progress(undefined);
  const { seeded, admin_email } = JSON.parse(printed) as { seeded: boolean; admin_email: string }; // the output of `seed`
  printStep(
    'admin',
    seeded ? `${admin_email} has a new password, in ${password_file} (0600)` : `${admin_email} already exists`,
  );
  return { admin_email, password_file };
}

async function ensureServer(session: Session, printStep: PrintStep): Promise<string> {
  const holder = findServer(session.config);
  if (typeof holder?.url === 'string' && (await isReady(session, holder.url))) {
    printStep('service', `already listens on ${holder.url}`);
    return holder.url;
  }
  const { url, pid } = await startServer(session);
  session.output.progress(undefined);
  printStep('service', `listens on ${url}, process ${pid}`);
  return url;
}

async function ensureSession(
  session: Session,
  { admin_email, password_file }: Admin,
  printStep: PrintStep,
): Promise<void> {
  if (await isSignedIn(session)) return printStep('session', 'already signed in');
  const password = readPrivateFile(password_file)?.trim();
  if (password === undefined) {
    throw new CliRefusal('no_password', `The admin was set up earlier and ${password_file} is gone`, {
      hint: 'Run `svc login`, or `svc server reset-admin` if the password is lost. Then run `svc quickstart` again.',
    });
  }
  const { token } = await signIn(session, { email: admin_email, password });
  await storeToken(session.config, session.origin, token, 'file');
  printStep(
    'session',
    `signed in as ${admin_email}; stored in ${session.config.config_directory}/sessions.json, readable only by you`,
  );
}

async function isSignedIn(session: Session): Promise<boolean> {
  const token = (await session.token())?.token;
  if (token === undefined) return false;
  try {
    await session.callWith(token, 'auth.me', {});
    return true;
  } catch (error) {
    // Expired, or from a removed installation: it needs a new sign-in.
    if (error instanceof Problem && error.code === 'unauthenticated') return false;
    throw error;
  }
}

async function ensureAgent(session: Session, printStep: PrintStep): Promise<AgentStatus> {
  const before = await statusOf(session);
  if (before?.state === 'serving') {
    printStep('example', `${agent} already serves`);
    return before;
  }
  const copy = mkdtempSync(path.join(tmpdir(), 'gantry-quickstart-'));
  try {
    copyExample(copy, { framework: 'langgraph', template: 'greeter' }, { name: agent, team, server: session.server });
    const ref = await versionByPush(session, {
      directory: copy,
      bump: undefined,
      message: 'the example of the quickstart',
      target: undefined,
    });
    const deployment = await requestDeployment(session, {
      ref,
      target: undefined,
      force: before !== undefined,
      wait: true,
      waitApproval: false,
    });
    if (deployment !== 'runs already') await watchDeployment(session, deployment);
  } finally {
    rmSync(copy, { recursive: true });
  }
  return (await statusOf(session)) ?? missing();
}

async function statusOf(session: Session): Promise<AgentStatus | undefined> {
  try {
    return await session.call('agents.status', { params: { name: agent } });
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

function missing(): never {
  throw new CliRefusal('not_registered', `${agent} was deployed and is not in the registry`, {
    hint: 'Run `svc doctor`.',
  });
}
