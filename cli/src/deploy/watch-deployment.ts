// Watches a deploy to its end. At a terminal Ctrl-C asks before it ends the deploy; elsewhere it detaches.
import { targetFlag } from '@gantry/project/agent-yaml.ts';
import { operationSteps, type Deployment } from '@gantry/contract/agents/deploy.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { usualTimes } from '@gantry/contract/agents/usual-times.ts';
import { describeCap } from '../agent/describe-cost.ts';
import { receiptNumber } from '../audit/receipt-number.ts';
import { describeFailure } from '../failure.ts';
import { CliRefusal } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { fields, good, line } from '../view/view.ts';
import { createDrawing } from '../run/draw-steps.ts';
import { followRun } from '../run/follow.ts';

/** Throws the deploy's own problem when it fails. */
export async function watchDeployment(session: Session, deployment: Deployment): Promise<Result> {
  const { id } = deployment;
  const earlier = await session.call('deployments.list', { query: { agent: deployment.agent, limit: 6 } });
  const drawing = createDrawing(
    session.output,
    usualTimes(earlier.items.filter(({ operation }) => operation === deployment.operation)),
    operationSteps[deployment.operation],
  );
  const detached = new AbortController();
  const onInterrupt = (): void => void askWhatToDo(session, id, drawing, () => detached.abort());
  using _taken = session.onInterrupt(onInterrupt);
  try {
    await followRun(session, { events: 'deployments.events', id, signal: detached.signal }, drawing.draw);
  } catch (error) {
    if (detached.signal.aborted) return detachedResult(deployment);
    throw error;
  } finally {
    drawing.end();
  }
  const before = earlier.items.find(
    (each) =>
      each.id !== id &&
      each.state === 'done' &&
      each.target === deployment.target &&
      ['deploy', 'rollback'].includes(each.operation) &&
      each.created_at < deployment.created_at,
  );
  const ended = await session.call('deployments.show', { params: { id } });
  for (const notice of ended.notices) session.output.notice(notice);
  const isOnlyTarget = earlier.items.every(({ target }) => target === deployment.target);
  const flag = isOnlyTarget ? targetFlag(deployment.target) : ` --target ${deployment.target}`;
  const number = receiptNumber(ended.audit_seq);
  // The entry of what is now true. Those of the way there are around it in the log.
  if (number !== null) session.output.audited([number], { alone: true });
  return receipt(ended, before, `svc ${before === undefined ? 'stop' : 'rollback'} ${deployment.agent}${flag}`);
}

export function detachedResult(deployment: Deployment): Result {
  return {
    data: deployment,
    view: [line(`The deploy of ${deployment.ref} continues without this terminal: ${deployment.id}`)],
    next: [
      { command: `svc deployments watch ${deployment.id}`, when: 'to watch it again' },
      { command: `svc deployments cancel ${deployment.id}`, when: 'to stop it' },
    ],
  };
}

/** The result of a deploy, and the place of its proof. */
function receipt(deployment: Deployment, before: Deployment | undefined, undo: string): Result {
  if (deployment.state === 'failed') {
    throw failed(deployment);
  }
  if (deployment.state === 'cancelled')
    throw new CliRefusal(
      'cancelled',
      `The deploy of ${deployment.ref} was cancelled; ${before === undefined ? 'nothing runs' : 'the previous revision keeps running'}`,
    );
  if (deployment.state === 'needs_attention') {
    const why = describeFailure(readProblem(deployment.problem));
    throw new CliRefusal('needs_attention', `The deploy of ${deployment.ref} failed, and its undo is incomplete`, {
      ...(why && { view: [line(why.sentence), ...why.view] }),
      hint: `Run \`svc deployments show ${deployment.id}\`; it lists the remains.`,
      person_must_act: true,
    });
  }
  return {
    data: deployment,
    view: [
      line(good('✓ '), `${deployment.ref} answers`),
      fields({
        Endpoint: deployment.endpoint === null ? null : { text: deployment.endpoint, style: 'link' },
        Version: `${deployment.version}  ${deployment.digest}`,
        Target: deployment.target,
        Approval: deployment.approval_id ?? 'none: deployed by an admin',
        Budget: deployment.cost === null ? null : describeCap(deployment.cost.cap),
      }),
    ],
    next: [{ command: `svc invoke ${deployment.agent} ${quoted(deployment.example_input)}`, when: 'to call it' }],
    undo,
  };
}

/** The service's problem, with the command that shows its steps and logs again. */
function failed({ id, ref, problem: document }: Deployment): CliRefusal {
  const problem = readProblem(document);
  const failure = problem === undefined ? undefined : describeFailure(problem);
  return new CliRefusal(problem?.code ?? 'deploy_failed', problem?.detail ?? `The deploy of ${ref} failed`, {
    next: [{ command: `svc deployments show ${id}`, when: 'to see its steps again' }],
    ...(failure && { view: failure.view, exit: failure.exit, problem: failure.problem }),
    ...(failure && { person_must_act: failure.person_must_act }),
  });
}

/** As a shell argument. */
function quoted(input: object | null): string {
  return `'${JSON.stringify(input ?? { message: 'hi' }).replaceAll("'", String.raw`'\''`)}'`;
}

async function askWhatToDo(
  session: Session,
  id: string,
  drawing: ReturnType<typeof createDrawing>,
  detach: () => void,
): Promise<void> {
  if (!(await session.prompt.canAsk())) return detach();
  drawing.pause();
  const wish = await session.prompt
    .choose(
      'The deploy is running. What should happen?',
      [
        { value: 'detach', label: 'Detach: it continues, and this terminal is free' },
        { value: 'cancel', label: 'Cancel it: its steps are undone, and what runs now keeps running' },
        { value: 'watch', label: 'Keep watching' },
      ],
      '--detach',
    )
    .catch((error: unknown) => {
      // Ctrl-C at the question: the safe answer ends nothing.
      if (error instanceof CliRefusal) return 'detach' as const;
      throw error;
    });
  if (wish === 'detach') return detach();
  if (wish === 'cancel') await cancel(session, id);
  drawing.resume();
}

/** Prints the server's refusal (too late, not yours) and continues to watch, because the deploy's end shows the outcome. */
async function cancel(session: Session, id: string): Promise<void> {
  try {
    await session.call('deployments.cancel', { params: { id } });
    session.output.note('Cancelling…');
  } catch (error) {
    session.output.note(error instanceof Error ? error.message : String(error));
  }
}
