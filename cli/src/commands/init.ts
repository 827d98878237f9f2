import type { Framework } from '@gantry/project/frameworks.ts';
import { choice, defineCommand, optional, text } from '../command.ts';
import { templateNames, templates, type Template } from '@gantry/project/templates/templates.ts';
import { misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { MadeProject, NewProject } from '../project/make-project.ts';
import type { Session } from '../session/session.ts';
import { faint, good, line, verbatim, warn, type Block } from '../view/view.ts';

export const command = defineCommand({
  words: 'init',
  summary: 'Write agent.yaml for this folder’s project, or create one',
  needs: 'nothing',
  examples: [
    'svc init',
    'svc init --entrypoint src/flow/graph.py:flow',
    'svc init greeter --framework langgraph',
    'svc init bot --framework langgraph --template chat --model gpt-4o-mini',
    'svc init reporters --framework crewai --template research --team ml',
  ],
  arguments: { name: optional('Name of a new agent, and of its new directory (default: the project in this folder)') },
  flags: {
    framework: choice('The framework of the agent', ['langgraph', 'crewai']),
    template: choice(
      'What a new project starts as; default greeter. greeter and desk need no model, and desk has guardrails. chat and desk are of langgraph, research of crewai',
      templateNames,
    ),
    model: text('The model of a new chat or research (default: one of the team, else gpt-4o-mini)', 'name'),
    entrypoint: text('The agent to use, when the project in this folder has several', 'path:name'),
  },
  async run({ name, framework, template, model, entrypoint }, session): Promise<Result> {
    if (name === undefined) {
      if (template !== undefined || model !== undefined)
        throw misuse(
          '--template and --model are for a new project, which needs a name',
          'svc init bot --framework langgraph --template chat',
        );
      return await adopt(session, { framework, entrypoint });
    }
    const chosen = await chooseTemplate(session, framework, template);
    return await make(session, { name, ...chosen, model });
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

async function chooseTemplate(
  session: Session,
  wished: Framework | undefined,
  template: Template = 'greeter',
): Promise<{ framework: Framework; template: Template }> {
  const having = templates[template];
  const framework = wished ?? (having.length === 1 ? having[0] : undefined) ?? (await askFramework(session));
  if (having.includes(framework)) return { framework, template };
  const others = templateNames.filter((each) => templates[each].includes(framework));
  throw misuse(`${framework} has no template ${template}`, `It has ${others.join(' and ')}.`);
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

async function make(session: Session, wish: NewProject): Promise<Result> {
  const { name } = wish;
  const { makeProject } = await import('../project/make-project.ts');
  const made = await makeProject(session, wish);
  return {
    data: made,
    view: [
      line(good('✓ '), `${name}/ is an agent of team ${made.team}`),
      ...made.files.map((file) => line(faint('  '), `${name}/${file}`)),
      modelLine(made),
    ],
    next: [
      { command: `cd ${name} && svc validate`, when: 'to check it, offline' },
      { command: `cd ${name} && svc deploy`, when: 'to deploy it; a contributor submits instead: svc submit' },
    ],
  };
}

function modelLine({ model, team }: MadeProject): Block {
  return model === undefined
    ? line(
        warn('! '),
        `agent.yaml names no model, and team ${team} has none yet. It may call every model that the team gets: to limit it, add \`model: {primary: <name>}\` then`,
      )
    : line(good('✓ '), `its key calls the model ${model}, which agent.yaml names, and no other`);
}
