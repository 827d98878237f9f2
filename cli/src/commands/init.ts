import { choice, defineCommand, required } from '../command.ts';
import type { Result } from '../result.ts';
import { faint, good, line } from '../view/view.ts';

export const command = defineCommand({
  words: 'init',
  summary: 'Make a project that deploys as it is, in your active team',
  needs: 'nothing',
  examples: ['svc init greeter --framework langgraph', 'svc init research-crew --framework crewai --team ml'],
  arguments: { name: required('Name of the agent, and of the new directory') },
  flags: { framework: choice('What the agent is written with; asked for at a terminal', ['langgraph', 'crewai']) },
  async run({ name, framework }, session): Promise<Result> {
    const chosen =
      framework ??
      (await session.prompt.choose(
        'Which framework?',
        [
          { value: 'langgraph', label: 'LangGraph: a graph of steps' },
          { value: 'crewai', label: 'CrewAI: a crew of agents with tasks' },
        ],
        '--framework',
      ));
    const { makeProject } = await import('../project/make-project.ts');
    const made = await makeProject(session, { name, framework: chosen });
    return {
      data: made,
      view: [
        line(good('✓ '), `${name}/ is an agent of team ${made.team}`),
        ...made.files.map((file) => line(faint('  '), `${name}/${file}`)),
      ],
      next: [
        { command: `cd ${name} && svc validate`, when: 'to check it, offline' },
        { command: `cd ${name} && svc deploy`, when: 'to deploy it; a contributor submits instead: svc submit' },
      ],
    };
  },
});
