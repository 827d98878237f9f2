import { expect, test } from 'vitest';
import { dependencyConflict } from './dependency-conflict.ts';

const platform_requirements = ['langgraph>=0.2.0', 'pydantic>=2.0.0', 'httpx>=0.27.0'];

test('a clash with the platform names the line, the platform and the remedy', () => {
  const resolver_text =
    'No solution found when resolving dependencies\n  cause: Because you require pydantic<2 and pydantic>=2.0.0, we can conclude that your requirements are unsatisfiable.';
  const text = '# greeter\nlanggraph\n\npydantic<2  # old\n';
  const problem = dependencyConflict({ project: { kind: 'requirements', text }, platform_requirements, resolver_text });
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

test('a clash inside the graph names the package that brings the other side', () => {
  const resolver_text =
    'No solution found when resolving dependencies\n  cause: Because crewai==1.15.0 depends on pydantic>=2.11,<2.13 and you require crewai==1.15.0, we can conclude that pydantic>=2.11,<2.13 is needed. And because you require pydantic==2.14.0, we can conclude that your requirements are unsatisfiable.';
  const project = { kind: 'requirements', text: 'crewai==1.15.0\npydantic==2.14.0\n' } as const;
  const problem = dependencyConflict({ project, platform_requirements: [], resolver_text });
  expect(problem.fields.required_by).toEqual([
    { source: 'requirements.txt:1', spec: 'crewai==1.15.0' },
    { source: 'requirements.txt:2', spec: 'pydantic==2.14.0' },
    { source: 'crewai==1.15.0', spec: 'pydantic>=2.11,<2.13' },
  ]);
  expect(problem.fields.packages).toEqual(['crewai', 'pydantic']);
});

test('a pyproject.toml is named with its line', () => {
  const text = '[project]\nname = "x"\ndependencies = [\n  "pydantic<2",\n  "httpx",\n]\n';
  const resolver_text =
    'No solution found\n  cause: Because x depends on pydantic<2 and you require pydantic>=2.0.0, we can conclude …';
  const problem = dependencyConflict({ project: { kind: 'pyproject', text }, platform_requirements, resolver_text });
  expect(problem.fields.required_by).toContainEqual({ source: 'pyproject.toml:4', spec: 'pydantic<2' });
});

test('a package that the index does not have is named', () => {
  const resolver_text =
    'No solution found\n  cause: Because langgrahp was not found in the package registry and you require langgrahp, we can conclude that your requirements are unsatisfiable.';
  const project = { kind: 'requirements', text: 'langgrahp\n' } as const;
  expect(dependencyConflict({ project, platform_requirements, resolver_text })).toMatchObject({
    detail: 'The package index has no package langgrahp',
    hint: 'Check the spelling of `langgrahp` (requirements.txt:1).',
    fields: { packages: ['langgrahp'] },
  });
});
