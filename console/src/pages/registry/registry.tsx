import { Page } from '../../parts/page.tsx';

export function RegistryPage() {
  return <Page title="Registry">This page is not built yet.</Page>;
}
