import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { plural } from '../../parts/figures/figures.ts';
import { State } from '../../parts/figures/state.tsx';

export function KeyAge({ principal: { key_age_days, key_is_old } }: { principal: ServicePrincipal }) {
  if (key_age_days === null) return <State meaning="failed">no working key</State>;
  const age = plural(key_age_days, 'day');
  return key_is_old ? (
    <State meaning="waiting">{`rotate: key ${age} old`}</State>
  ) : (
    <State meaning="good">{`key ${age} old`}</State>
  );
}
