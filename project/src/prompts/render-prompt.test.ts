import { expect, test } from 'vitest';
import { parseAssetConfig } from '../asset-config.ts';
import type { PromptConfig } from '../asset-config/prompt.ts';
import { renderPrompt } from './render-prompt.ts';

function promptOf(yaml: string): PromptConfig {
  const { config, findings } = parseAssetConfig('prompt', yaml, 'config');
  if (config === undefined) throw new Error(JSON.stringify(findings));
  return config;
}

const greeting = () =>
  promptOf('template: Hello {{name}}, {{ mood }}\nvariables: [{name: name}, {name: mood, default: hi}]');

test('values and defaults are put into the text', () => {
  expect(renderPrompt(greeting(), { name: 'Ada' })).toEqual({
    messages: [{ role: 'user', content: 'Hello Ada, hi' }],
  });
});

test('each message keeps its role', () => {
  const prompt = promptOf(
    'messages: [{role: system, content: "Be {{how}}"}, {role: user, content: Go}]\nvariables: [{name: how}]',
  );
  expect(renderPrompt(prompt, { how: 'kind' })).toEqual({
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Go' },
    ],
  });
});

test('missing and unknown variables are named, all at once', () => {
  expect(renderPrompt(greeting(), { nam: 'Ada' })).toEqual({
    faults: [
      { variable: 'name', message: 'the variable `name` is missing' },
      { variable: 'nam', message: 'the prompt has no variable `nam`; did you mean `name`?' },
    ],
  });
});

test.each(['{{mood}}', '$&', "$'", '{{name}}{{name}}'])('the value %s is text, and adds no variable', (name) => {
  expect(renderPrompt(greeting(), { name, mood: '' })).toEqual({
    messages: [{ role: 'user', content: `Hello ${name}, ` }],
  });
});

test.each(['constructor', '__proto__', 'toString'])('%s is no variable', (name) => {
  const given = Object.fromEntries([
    ['name', 'Ada'],
    [name, 'x'],
  ]);
  expect(renderPrompt(greeting(), given)).toMatchObject({ faults: [{ variable: name }] });
});

test('a text that its values make far too long is not made', () => {
  const prompt = promptOf(`template: "${'{{x}}'.repeat(20_000)}"\nvariables: [{name: x}]`);
  expect(renderPrompt(prompt, { x: 'y'.repeat(10_000) })).toEqual({ too_long: 200_000_000 });
});
