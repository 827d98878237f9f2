import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { State } from '../../parts/figures/state.tsx';

export type User = Answer<Endpoints['users.show']>;

export function UserState({ user: { active, mail_expires_at, must_change_password } }: { user: User }) {
  if (!active) return <State meaning="stopped">disabled</State>;
  if (mail_expires_at !== null) return <State meaning="waiting">invited by mail</State>;
  if (must_change_password) return <State meaning="waiting">must change password</State>;
  return <State meaning="good">active</State>;
}
