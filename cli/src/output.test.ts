import { Problem } from '@gantry/contract/problems.ts';
import { expect, test } from 'vitest';
import { describeFailure, type Failure } from './failure.ts';
import { createOutput, type Output } from './output.ts';
import { line } from './view/view.ts';

function recorded(settings: { json?: boolean; terminal?: boolean }): {
  output: Output;
  out: () => string;
  err: () => string;
} {
  let [out, err] = ['', ''];
  const { json = false, terminal = false } = settings;
  const output = createOutput({
    json,
    no_color: true,
    stdout: { isTTY: terminal, columns: 60, write: (text) => (out += text) },
    stderr: { isTTY: terminal, columns: 60, write: (text) => (err += text) },
  });
  return { output, out: () => out, err: () => err };
}

const approvalMissing = new Problem('approval_required', {
  hint: 'Ask: `svc submit --asset agents/x`.',
  fields: { request_id: 'r-1' },
});

function described(error: unknown): Failure {
  const failure = describeFailure(error);
  if (failure === undefined) throw new Error('not a refusal');
  return failure;
}

test('with --json stdout has the bare data, and stderr has exactly one line', () => {
  const { output, out, err } = recorded({ json: true });
  output.note('for people');
  output.notice('.env is left out');
  output.show([line('for people')]);
  output.finish({
    data: { name: 'greeter' },
    view: [line('for people')],
    next: [{ command: 'svc status', when: 'later' }],
  });
  expect(out()).toBe('{"name":"greeter"}\n');
  expect(err()).toBe(
    '{"next":[{"command":"svc status","when":"later"}],"person_must_act":false,"notices":[".env is left out"]}\n',
  );
});

test('with --json a refusal leaves stdout empty and prints problem, next steps and person_must_act in one line', () => {
  const { output, out, err } = recorded({ json: true });
  output.fail(described(approvalMissing));
  expect(out()).toBe('');
  expect(JSON.parse(err())).toMatchObject({
    problem: { code: 'approval_required', request_id: 'r-1' },
    next: [{ command: 'svc submit --asset agents/x' }],
    person_must_act: true,
  });
});

test('people read the sentence, the hint and the code', () => {
  const { output, err } = recorded({});
  output.fail(described(approvalMissing));
  expect(err()).toBe(
    '✗ The approval gate refused this deploy\nhint: Ask: `svc submit --asset agents/x`.\napproval_required, request r-1\n',
  );
});

test('a fault in a file names file, line and column', () => {
  const { output, err } = recorded({});
  output.fail(
    described(
      new Problem('project_invalid', {
        errors: [{ file: 'agent.yaml', line: 3, column: 7, message: 'bad', suggestion: 'do better' }],
      }),
    ),
  );
  expect(err()).toContain('agent.yaml:3:7  bad\n      → do better\n');
});

test('the redrawn line is separate from others and is erased completely', () => {
  const { output, out, err } = recorded({ terminal: true });
  output.progress('working');
  output.note('a note');
  output.progress(undefined);
  output.finish({ data: 1, view: [line('done')] });
  expect(err()).toBe('\r\u001b[Kworking\r\u001b[Ka note\nworking\r\u001b[K');
  expect(out()).toBe('done\n');
});

test('nothing is redrawn without a terminal', () => {
  const { output, err } = recorded({});
  output.progress('working');
  expect(err()).toBe('');
});

test('an undo line follows a change', () => {
  const { output, err } = recorded({});
  output.finish({ data: 1, view: [], undo: 'svc team remove ml user:a@example.com' });
  expect(err()).toBe('undo: svc team remove ml user:a@example.com\n');
});

test('streamed text is sanitised too', () => {
  const { output, out } = recorded({});
  output.write('\u001b[2Jhi');
  expect(out()).toBe('\\u{1b}[2Jhi');
});

test('a streamed answer stays on the screen, and the next output begins on a new line', () => {
  const { output, out, err } = recorded({ terminal: true });
  output.write('Hello, ');
  output.write('Ada');
  output.progress(undefined);
  output.finish({ data: 1, view: [], next: [{ command: 'svc status', when: 'later' }] });
  expect(out()).toBe('Hello, Ada\n');
  expect(err()).toBe('next: svc status  later\n');
});
