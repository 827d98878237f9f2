// From a directory to a version in the registry: check, pack, send, and watch the service resolve and lock it.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Problem, readProblem } from '@gantry/contract/problems.ts';
import { CliRefusal } from '../refusal.ts';
import { createDrawing } from '../run/draw-steps.ts';
import { followRun } from '../run/follow.ts';
import { sayOnInterrupt } from '../run/left-behind.ts';
import type { Session } from '../session/session.ts';
import { faint, good } from '../view/view.ts';
import { checkHere } from './check-here.ts';
import { pack } from './pack.ts';
import { leftOutNotices, type LocalProject } from './read-project.ts';

export interface PushWish {
  message: string | undefined;
}

type Push = Answer<Endpoints['pushes.show']>;
export interface Pushed {
  push: Push;
  config: AgentConfig;
}

export async function pushProject(session: Session, project: LocalProject, { message }: PushWish): Promise<Pushed> {
  const { config, findings } = checkHere(project);
  for (const notice of leftOutNotices(project)) session.output.notice(notice);
  for (const { severity, file, line, column, message: said } of findings) {
    if (severity !== 'error') session.output.notice(said, { at: `${file}:${line}:${column}`, severity });
  }
  const packed = await pack(project);
  const query = message === undefined ? {} : { message };
  const send = async (): Promise<Push> =>
    await session.call('agents.push', {
      params: { name: config.name },
      query,
      body: withProgress(session, packed),
    });
  const unsent = { sentence: `The upload of ${config.name} was not complete; nothing is pushed`, next: [] };
  const accepted = await sayOnInterrupt(session, unsent, send).catch(async (error: unknown) => {
    await awaitOtherPush(session, error);
    return await sayOnInterrupt(session, unsent, send);
  });
  session.output.progress(undefined);
  const push = await awaitPush(session, accepted);
  for (const notice of push.notices) session.output.notice(notice);
  session.output.note(
    good('✓ '),
    push.unchanged ? `${push.ref} is already in the registry, with exactly this content` : `${push.ref} is pushed`,
    faint(`  ${push.digest ?? ''}`),
  );
  return { push, config };
}

/** One push of an agent runs at a time. Another one, often from an interrupted command, is watched to its end first. */
async function awaitOtherPush(session: Session, error: unknown): Promise<void> {
  const id = error instanceof Problem && error.code === 'conflict' ? error.fields['push_id'] : undefined;
  if (typeof id !== 'string') throw error;
  session.output.note('Another push of this agent is running; waiting for it to end.');
  await drawPush(session, id);
}

const goes_on = {
  sentence: 'No longer watching. The service goes on with the push',
  next: [{ command: 'svc submit', when: 'the same command again takes it up; nothing is pushed twice' }],
};

async function drawPush(session: Session, id: string): Promise<void> {
  const drawing = createDrawing(session.output);
  try {
    await sayOnInterrupt(session, goes_on, async () => {
      await followRun(session, { events: 'pushes.events', id, signal: session.signal }, drawing.draw);
    });
  } finally {
    drawing.end();
  }
}

async function awaitPush(session: Session, accepted: Push): Promise<Push> {
  if (accepted.state === 'queued' || accepted.state === 'running') await drawPush(session, accepted.id);
  const push = await session.call('pushes.show', { params: { id: accepted.id } });
  if (push.state === 'done') return push;
  throw readProblem(push.problem) ?? new CliRefusal('push_failed', `The push of ${push.ref} ended as ${push.state}`);
}

const chunk_bytes = 256 * 1024;

function withProgress(session: Session, bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = bytes.subarray(sent, sent + chunk_bytes);
      if (chunk.length === 0) return controller.close();
      controller.enqueue(chunk);
      sent += chunk.length;
      session.output.progress([
        faint('… '),
        `sending ${Math.round((100 * sent) / bytes.length)} % of ${(bytes.length / 1e6).toFixed(1)} MB`,
      ]);
    },
  });
}
