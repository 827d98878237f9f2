import type { Tab } from '../../parts/page/page.tsx';

export const costsTabs: readonly Tab[] = [
  { label: 'Costs', link: { to: '/costs' } },
  { label: 'Budgets', link: { to: '/budgets' } },
];
