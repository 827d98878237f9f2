import { Page } from '../../parts/page.tsx';

export function CostPage() {
  return <Page title="Cost">This page is not built yet.</Page>;
}
