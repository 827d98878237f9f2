import { Page } from '../../parts/page.tsx';

export function CostsPage() {
  return <Page title="Costs">This page is not built yet.</Page>;
}
