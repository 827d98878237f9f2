// Watches a start, a stop or a restart to its end. It goes on in the service when this terminal leaves.
import { operationSteps, type Deployment } from '@gantry/contract/agents/deploy.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { CliRefusal } from '../refusal.ts';
import { followRun } from '../run/follow.ts';
import { createDrawing } from '../run/draw-steps.ts';
import type { Session } from '../session/session.ts';

/** Throws the operation's own problem when it fails. */
export async function watchOperation(session: Session, { id, operation, agent }: Deployment): Promise<Deployment> {
  const drawing = createDrawing(session.output, {}, operationSteps[operation]);
  const signal = new AbortController().signal;
  try {
    await followRun(session, { events: 'deployments.events', id, signal }, drawing.draw);
  } finally {
    drawing.end();
  }
  const ended = await session.call('deployments.show', { params: { id } });
  if (ended.state === 'done') return ended;
  throw (
    readProblem(ended.problem) ??
    new CliRefusal('operation_failed', `The ${operation} of ${agent} is ${ended.state}`, {
      hint: `Run \`svc deployments show ${id}\`.`,
    })
  );
}
