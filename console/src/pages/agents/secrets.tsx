import { Page } from '../../parts/page.tsx';

export function SecretsPage() {
  return <Page title="Secrets">This page is not built yet.</Page>;
}
