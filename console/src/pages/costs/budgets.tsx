import { Page } from '../../parts/page.tsx';

export function BudgetsPage() {
  return <Page title="Budgets">This page is not built yet.</Page>;
}
