import type { Framework } from '@gantry/contract/frameworks.ts';
import { choice, defineCommand, optional, text } from '../command.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { faint, good, line, verbatim } from '../view/view.ts';

export const command = defineCommand({
  words: 'init',
  summary: 'Write agent.yaml for the project in this folder, or create a new project',
  needs: 'nothing',
  examples: [
    'svc init',
    'svc init --entrypoint src/flow/graph.py:flow',
    'svc init greeter --framework langgraph',
    'svc init research-crew --framework crewai --team ml',
  ],
  arguments: { name: optional('Name of a new agent, and of its new directory (default: the project in this folder)') },
  flags: {
    framework: choice('The framework of the agent', ['langgraph', 'crewai']),
    entrypoint: text('The agent to use, when the project in this folder has several', 'path:name'),
  },
  async run({ name, framework, entrypoint }, session): Promise<Result> {
    return name === undefined
      ? await adopt(session, { framework, entrypoint })
      : await make(session, name, framework ?? (await askFramework(session)));
  },
});

async function adopt(
  session: Session,
  wish: { framework: Framework | undefined; entrypoint: string | undefined },
): Promise<Result> {
  const { adoptProject } = await import('../project/adopt-project.ts');
  const { agent, others, text: yaml, variables } = await adoptProject(session, wish);
  return {
    data: { ...agent, others, variables },
    view: [
      line(good('✓ '), `${agent.framework}: ${agent.found}`),
      ...others.map((other) => line(faint(`  also: ${other.found}  ${other.entrypoint ?? ''}`))),
      line(good('✓ '), 'agent.yaml is written; no other file was changed'),
      verbatim(yaml.trimEnd()),
    ],
    next: [
      { command: 'svc validate', when: 'to check it, offline' },
      { command: 'svc deploy', when: 'to deploy it; a contributor submits instead: svc submit' },
    ],
  };
}

async function askFramework(session: Session): Promise<Framework> {
  return await session.prompt.choose(
    'Which framework?',
    [
      { value: 'langgraph', label: 'LangGraph: a graph of steps' },
      { value: 'crewai', label: 'CrewAI: a crew of agents with tasks' },
    ],
    '--framework',
  );
}

async function make(session: Session, name: string, framework: Framework): Promise<Result> {
  const { makeProject } = await import('../project/make-project.ts');
  const made = await makeProject(session, { name, framework });
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
}
