// The service's answers about people and requests, for the tests of several commands.
import type { Approval } from '@gantry/contract/agents/approvals.ts';

export const contributor = {
  id: '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'viewer',
  primary_team: 'default',
  active_team: null,
  teams: [{ name: 'default', role: 'contributor' }],
  must_change_password: false,
};

export const pendingApproval: Approval = {
  id: '0190b2f4-0000-7000-8000-000000000001',
  status: 'pending',
  closed_reason: null,
  asset: 'agents/greeter',
  asset_version: '1.0.0',
  digest: 'sha256:abc',
  target: 'local',
  message: 'first version',
  reason: null,
  submitted_by: contributor.email,
  submitted_at: '2026-01-31T11:00:00Z',
  decided_by: null,
  decided_at: null,
  expires_at: null,
  approvals_required: 1,
  approved_by: [],
  can_decide: ['root@example.com'],
};
