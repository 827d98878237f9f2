import { Page } from '../../parts/page.tsx';

export function ModelPage() {
  return <Page title="Model">This page is not built yet.</Page>;
}
