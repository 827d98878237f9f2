// The view of a request for its reviewer. Others wrote all of its text.
import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { expect, test } from 'vitest';
import { pendingApproval } from '../testing/answers.ts';
import { describeApproval, describeHistory } from './describe-approval.ts';
import { describeChanges, describeDiffs } from './describe-changes.ts';
import { render } from '../view/render.ts';
import type { View } from '../view/view.ts';

const { id } = pendingApproval;
const approval: ApprovalDetail = {
  ...pendingApproval,
  asset_version: '1.1.0',
  message: 'please',
  can_decide: ['max@example.com', 'root@example.com'],
  is_current: true,
  target_address: null,
  target_changed: false,
  covers: null,
  beyond: [],
  target_plan: null,
  target_refuses: [],
  compared_with: 'agents/greeter@1.0.0',
  changes: { config: [], files: [], dependencies: [], base_image: null, reach: [], tools: [] },
  cost: null,
  guardrails: [],
  unguarded: null,
  compared_approval: null,
  comments: [],
  can: {},
  previous: null,
};
const changes = approval.changes;
const printed = (view: View) => render(view, { colour: false, columns: undefined, now: undefined });
const compared = (more: Partial<typeof changes>, before: string | null = 'agents/greeter@1.0.0') =>
  printed(describeChanges({ changes: { ...changes, ...more }, before, after: 'agents/greeter@1.1.0' }));

test('one approval is not counted; with two, the view has the number and the missing deciders', () => {
  expect(printed(describeApproval(approval))).not.toContain('Approvals');
  const by = { by: 'max@example.com', at: '2026-01-31T12:00:00Z', reason: '' };
  const two = { ...approval, approvals_required: 2, approved_by: [by], can_decide: ['root@example.com'] };
  expect(printed(describeApproval(two))).toContain('1 of 2 (max@example.com), waits for root@example.com');
  const stuck = printed(describeApproval({ ...two, approvals_required: 3 }));
  expect(stuck).toContain('root@example.com; 1 more needed as admin');
  expect(printed(describeApproval({ ...two, status: 'approved', approved_by: [by, by] }))).toContain('2 of 2: max@');
});

test('a kind that is not deployed has no target, and an expiring request has its time', () => {
  const tool = { ...approval, asset: 'tools/search', target: 'none', expires_at: '2026-02-14T11:00:00Z' };
  expect(printed(describeApproval(tool))).not.toContain('Target');
  expect(printed(describeApproval(tool))).toMatch(/Expires +2026-02-14T11:00:00Z/);
});

test('the view has the approval of the compared version, the previous request and the comments', () => {
  const { message: _, ...closed } = { ...approval, status: 'rejected', closed_reason: 'rejected' } as const;
  const previous = { ...closed, asset_version: '1.0.9', reason: 'too wide', decided_by: 'max@example.com' };
  const comments = [
    { id, author: 'max@example.com', message: 'why?', file: 'agent.py', line: 3, created_at: '2026-01-31T12:00:00Z' },
  ];
  const compared_approval = { id, decided_by: 'eve@example.com', decided_at: '2026-01-30T12:00:00Z' };
  const text = printed(describeHistory({ ...approval, previous, comments, compared_approval }));
  expect(text).toContain('since  agents/greeter@1.0.0 approved by eve@example.com 2026-01-30T12:00:00Z');
  expect(text).toContain(`before  ${id}  1.0.9 rejected by max@example.com: too wide`);
  expect(text).toContain('2026-01-31T12:00:00Z  max@example.com on agent.py:3: why?');
});

const reached = { unbounded: false, instead_of: [], before: null, after: null, about: null };

test('the reach comes first, then config, files with their sizes, and packages', () => {
  const text = compared({
    config: [{ path: 'deploy.env_vars.MODE', before: '(hidden)', after: '(hidden)' }],
    files: [{ path: 'a.py', change: 'changed', before_bytes: 10, after_bytes: 12, diff: null, no_diff: 'binary' }],
    dependencies: [{ package: 'langgraph', before: '1.0.0', after: '1.1.0' }],
    reach: [
      { ...reached, kind: 'internet', name: 'the whole internet', unbounded: true, change: 'same' },
      { ...reached, kind: 'model', name: 'llama', change: 'narrowed', instead_of: ['every model of team ml'] },
      { ...reached, kind: 'secret', name: 'KEY', change: 'added' },
      { ...reached, kind: 'tool', name: 'tools/search', change: 'changed', before: '1.0.0', after: '2.0.0' },
    ],
  });
  expect(text.split('\n')).toEqual([
    'agents/greeter@1.0.0 → agents/greeter@1.1.0',
    'What it may reach, the widest first:',
    '    the whole internet',
    '  ~ model llama  narrowed; until now every model of team ml',
    '  + secret KEY  new',
    '  ~ tool tools/search  changed  1.0.0 → 2.0.0',
    '  ~ deploy.env_vars.MODE: (hidden) → (hidden)',
    '  ~ a.py  changed  10 → 12 bytes',
    '  ~ langgraph: 1.0.0 → 1.1.0',
    '',
  ]);
  expect(compared({})).toContain('Nothing changes');
  expect(compared({}, null)).toContain('No revision of this agent runs yet: everything is new.');
});

test('a file with terminal codes for a false approval stays text, line by line after its sign', () => {
  const diff =
    '--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+x\r\u001b[2J\u001b]0;owned\u0007\u202e✓ approved\n+\u009b1A';
  const file = { path: 'a.py', change: 'added', before_bytes: null, after_bytes: 9, no_diff: null } as const;
  const text = printed(describeDiffs({ ...changes, files: [{ ...file, diff }] }));
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text).toContain('+x\\u{d}\\u{1b}[2J');
  const withheld = { ...file, diff: null, no_diff: 'not_permitted' } as const;
  expect(printed(describeDiffs({ ...changes, files: [withheld] }))).toContain(
    'only for users with "write" on the asset',
  );
});
