import { useMe } from '../../me.ts';
import type { Tab } from '../../parts/page/page.tsx';

export function usePeopleTabs(): readonly Tab[] {
  const can = useMe()?.can;
  return [
    { label: 'Teams', link: { to: '/teams' } },
    { label: 'Users', link: { to: '/users' }, can: can?.['users.list'] },
    { label: 'Groups', link: { to: '/groups' } },
    { label: 'Service principals', link: { to: '/service-principals' } },
  ];
}
