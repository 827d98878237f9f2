import { expect, test } from 'vitest';
import { startHint } from './start-hint.ts';

test('an agent that could not be loaded gets a next step for every reason', () => {
  expect(startHint({ missing_env: ['TAVILY_API_KEY', 'MODEL'] })).toMatch(/^Set TAVILY_API_KEY, MODEL in agent\.yaml/);
  expect(
    startHint({
      message: "src/crew.py could not be imported: ModuleNotFoundError: No module named 'langchain.tools'",
      missing_env: [],
    }),
  ).toMatch(/^Add the package that has `langchain\.tools` to the project's dependencies/);
  for (const reason of [{ message: "crew.py could not be imported: AttributeError: 'Task'" }, {}, null, 'broken', 7])
    expect(startHint(reason)).toBe('Correct the fault above, then run `svc deploy` again.');
});

test('a next step repeats only plain names from the agent', () => {
  const reasons = [
    { missing_env: ['A; rm -rf /'] },
    { missing_env: Array.from({ length: 21 }, () => 'A') },
    { missing_env: [1] },
    { message: "ModuleNotFoundError: No module named 'a`; rm -rf /'" },
    { message: `ModuleNotFoundError: No module named '${'a'.repeat(101)}'` },
  ];
  for (const reason of reasons) expect(startHint(reason)).toBe('Correct the fault above, then run `svc deploy` again.');
});

test('a call to localhost is explained, and a refused connection to another host is not', () => {
  const ofItself = [
    { message: 'agent.py could not be imported: ConnectError: [Errno 99] Cannot assign requested address' },
    {
      message: 'ConnectionRefusedError: [Errno 111] Connect call failed',
      traceback: "base_url='http://localhost:11434'",
    },
    { message: 'ConnectionError: Failed to connect to Ollama. Please check that Ollama is running' },
  ];
  for (const reason of ofItself) {
    expect(startHint(reason)).toMatch(/^`localhost` is the container itself/);
    expect(startHint(reason)).toContain('svc model add <name> --provider ollama');
  }
  for (const message of ['ConnectionRefusedError: connection to 10.1.2.3:5432', 'ValueError: localhost is not allowed'])
    expect(startHint({ message })).toBe('Correct the fault above, then run `svc deploy` again.');
});

test('a missing key of a provider, which a push refuses, is not asked for', () => {
  for (const [name, provider] of [
    ['MISTRAL_API_KEY', 'mistral'],
    ['GEMINI_API_KEY', 'gemini'],
    ['COHERE_API_KEY', '<provider>'],
  ]) {
    const hint = startHint({ missing_env: [name, 'TAVILY_API_KEY'] });
    expect(hint).not.toContain('deploy.secrets');
    expect(hint).toContain(`svc model add <name> --provider ${provider}`);
  }
});
