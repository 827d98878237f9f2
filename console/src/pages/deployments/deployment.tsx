import { Page } from '../../parts/page.tsx';

export function DeploymentPage() {
  return <Page title="Deployment">This page is not built yet.</Page>;
}
