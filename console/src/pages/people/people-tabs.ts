import type { Tab } from '../../parts/page.tsx';

export const peopleTabs: readonly Tab[] = [
  { label: 'Teams', link: { to: '/teams' } },
  { label: 'Users', link: { to: '/users' } },
  { label: 'Groups', link: { to: '/groups' } },
  { label: 'Service principals', link: { to: '/service-principals' } },
];
