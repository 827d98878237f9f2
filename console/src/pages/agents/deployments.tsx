import { Page } from '../../parts/page.tsx';

export function DeploymentsPage() {
  return <Page title="Deployments">This page is not built yet.</Page>;
}
