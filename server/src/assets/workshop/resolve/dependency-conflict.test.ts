import { expect, test } from 'vitest';
import { requirementLines } from '../../../testing/pushes/requirement-lines.ts';
import { dependencyConflict } from './dependency-conflict.ts';

const platform_requirements = ['langgraph>=0.2.0', 'pydantic>=2.0.0', 'httpx>=0.27.0'];

test('a conflict with the platform names the line, the platform and the remedy', () => {
  const resolver_text =
    'No solution found when resolving dependencies\n  cause: Because you require pydantic<2 and pydantic>=2.0.0, we can conclude that your requirements are unsatisfiable.';
  const requirements = requirementLines('# greeter\nlanggraph\n\npydantic<2\n');
  const problem = dependencyConflict({ requirements, platform_requirements, resolver_text });
  expect(problem).toMatchObject({
    code: 'dependency_conflict',
    detail: 'These cannot be installed together: pydantic<2 (requirements.txt:4), pydantic>=2.0.0 (platform)',
    hint: 'Widen `pydantic<2` (requirements.txt:4).',
    fields: {
      packages: ['pydantic'],
      required_by: [
        { source: 'requirements.txt:4', spec: 'pydantic<2' },
        { source: 'platform', spec: 'pydantic>=2.0.0' },
      ],
      resolver: resolver_text,
    },
  });
});

test('a conflict inside the graph names the package with the other requirement', () => {
  const resolver_text =
    'No solution found when resolving dependencies\n  cause: Because crewai==1.15.0 depends on pydantic>=2.11,<2.13 and you require crewai==1.15.0, we can conclude that pydantic>=2.11,<2.13 is needed. And because you require pydantic==2.14.0, we can conclude that your requirements are unsatisfiable.';
  const requirements = requirementLines('crewai==1.15.0\npydantic==2.14.0 --hash=sha256:ab\n');
  const problem = dependencyConflict({ requirements, platform_requirements: [], resolver_text });
  expect(problem.fields.required_by).toEqual([
    { source: 'requirements.txt:1', spec: 'crewai==1.15.0' },
    { source: 'requirements.txt:2', spec: 'pydantic==2.14.0' },
    { source: 'crewai==1.15.0', spec: 'pydantic>=2.11,<2.13' },
  ]);
  expect(problem.fields.packages).toEqual(['crewai', 'pydantic']);
});

test('a locked version is named with its line, and the remedy locks it again', () => {
  const resolver_text =
    'No solution found\n  cause: Because you require pydantic==1.10.0 and pydantic>=2.0.0, we can conclude …';
  const problem = dependencyConflict({
    requirements: requirementLines('pydantic\n', 'pyproject.toml'),
    constraints: requirementLines('anyio==4.0\npydantic==1.10.0\n', 'libs/uv.lock'),
    platform_requirements,
    resolver_text,
  });
  expect(problem.fields.required_by).toEqual([
    { source: 'pyproject.toml:1', spec: 'pydantic' },
    { source: 'libs/uv.lock:2', spec: 'pydantic==1.10.0' },
    { source: 'platform', spec: 'pydantic>=2.0.0' },
  ]);
  expect(problem.fields.remedy).toBe('Lock it again: uv lock --upgrade-package pydantic');
});

test('the remedy locks each locked version of a conflict again, because one alone may not end it', () => {
  const resolver_text =
    'No solution found\n  cause: Because fastapi>=0.128.2 depends on typing-inspection>=0.4.2 and typing-inspection==0.4.1, we can conclude that fastapi>=0.128.2 cannot be used. And because fastapi<0.128.2 depends on starlette<0.51 and you require starlette==1.3.1, …';
  const remedy = (lock: string) =>
    dependencyConflict({
      requirements: [],
      constraints: requirementLines('anyio==4.0\nstarlette==1.3.1\ntyping-inspection==0.4.1\n', lock),
      platform_requirements: ['fastapi>=0.110.0'],
      resolver_text,
    }).fields.remedy;
  expect(remedy('uv.lock')).toBe(
    'Lock it again: uv lock --upgrade-package starlette --upgrade-package typing-inspection',
  );
  expect(remedy('poetry.lock')).toBe('Lock it again: poetry update starlette typing-inspection');
});

test('a package that is missing in the index is named', () => {
  const resolver_text =
    'No solution found\n  cause: Because langgrahp was not found in the package registry and you require langgrahp, we can conclude that your requirements are unsatisfiable.';
  const requirements = requirementLines('langgrahp\n');
  expect(dependencyConflict({ requirements, platform_requirements, resolver_text })).toMatchObject({
    detail: 'The package index has no package langgrahp',
    hint: 'Check the spelling of `langgrahp` (requirements.txt:1).',
    fields: { packages: ['langgrahp'] },
  });
});
