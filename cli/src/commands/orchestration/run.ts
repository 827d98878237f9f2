import { setTimeout as delay } from 'node:timers/promises';
import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { defineCommand, optional, required, text, toggle } from '../../command.ts';
import { describeRun } from '../../orchestration/describe-run.ts';
import { readOrchestrationInput } from '../../orchestration/orchestration-input.ts';
import { misuse } from '../../refusal.ts';
import type { Result } from '../../result.ts';
import type { Session } from '../../session/session.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'orchestration run',
  summary: 'Run an orchestration and show its answer and the calls of its members',
  needs: 'asset.invoke',
  examples: [
    'svc orchestration run report "the weather in Paris"',
    `svc orchestration run report '{"topic": "Paris"}' --async`,
    'svc orchestration run report --run 01890a5d-ac96-774b-bcce-b302099a8057',
  ],
  arguments: {
    name: required('The name of the orchestration'),
    input: optional('A text, JSON, or - to read either from stdin'),
  },
  flags: {
    async: toggle('Do not wait: print the id of the run'),
    thread: text('Continue this conversation of its members', 'id'),
    run: text('Show an earlier run instead', 'id'),
  },
  async run({ name, input, async: detached, thread, run }, session) {
    if (run !== undefined) return shown(session, await read(session, name, run));
    if (input === undefined)
      throw misuse('An input is missing', `Write it like svc orchestration run ${name} "a text".`);
    const body = { input: await readOrchestrationInput(input), ...(thread === undefined ? {} : { thread_id: thread }) };
    // The steps are shown as they begin, so the call does not wait for its answer.
    const started = await session.call(
      'orchestrate.call',
      { params: { name }, body },
      { headers: { prefer: 'respond-async' } },
    );
    const { run_id } = (await started.json()) as { run_id: string };
    if (detached)
      return {
        data: { run_id },
        view: [line(`${name} is running it: ${run_id}`)],
        next: [{ command: `svc orchestration run ${name} --run ${run_id}`, when: 'to see the result' }],
      };
    return shown(session, await awaitRun(session, name, run_id));
  },
});

/** `orchestrations/<name>@<version>` */
const nameOf = ({ ref }: OrchestrationRun): string => ref.replace(/^orchestrations\/|@.*$/g, '');

async function read(session: Session, name: string, run_id: string): Promise<OrchestrationRun> {
  return await session.call('orchestrate.run', { params: { name, run_id } });
}

async function awaitRun(session: Session, name: string, run_id: string): Promise<OrchestrationRun> {
  for (let wait_ms = 50; ; wait_ms = Math.min(1000, wait_ms * 2)) {
    const run = await read(session, name, run_id);
    if (run.ended_at !== null || run.state === 'waiting') return run;
    const open = run.steps.filter(({ state }) => state === 'running').map(({ path }) => path);
    session.output.progress(`… ${open.join(', ')}; Ctrl-C leaves it running as ${run_id}`);
    await delay(wait_ms, undefined, { signal: session.signal });
  }
}

/** A failed run has its calls too. Its problem ends the command. */
function shown(session: Session, run: OrchestrationRun): Result {
  const problem = readProblem(run.problem);
  if (problem === undefined)
    return {
      data: run,
      view: describeRun(run),
      ...(run.state === 'waiting' && {
        next: [
          { command: 'svc inbox', when: 'for the question that it waits with' },
          { command: `svc orchestration run ${nameOf(run)} --run ${run.run_id}`, when: 'to see it go on' },
        ],
      }),
    };
  session.output.show(describeRun(run));
  session.output.event(run);
  throw problem;
}
