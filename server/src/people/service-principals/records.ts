import { rotate_after_days, type ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import type { ServicePrincipalRow } from './store.ts';

export function principalRecord({ team_id: _, ...row }: ServicePrincipalRow): ServicePrincipal {
  return { ...row, key_is_old: row.key_age_days !== null && row.key_age_days > rotate_after_days };
}
