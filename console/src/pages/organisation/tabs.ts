import { useMe } from '../../me.ts';
import type { Tab } from '../../parts/page/page.tsx';

export function useOrganisationTabs(): readonly Tab[] {
  const can = useMe()?.can;
  return [
    { label: 'Settings', link: { to: '/organisation' } },
    { label: 'Models', link: { to: '/models' } },
    { label: 'Targets', link: { to: '/targets' } },
    { label: 'Webhooks', link: { to: '/webhooks' }, can: can?.['webhooks.list'] },
    { label: 'Health', link: { to: '/doctor' }, can: can?.['service.doctor'] },
  ];
}
