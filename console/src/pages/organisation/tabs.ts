import type { Tab } from '../../parts/page.tsx';

export const organisationTabs: readonly Tab[] = [
  { label: 'Settings', link: { to: '/organisation' } },
  { label: 'Models', link: { to: '/models' } },
  { label: 'Webhooks', link: { to: '/webhooks' } },
  { label: 'Health', link: { to: '/doctor' } },
];
