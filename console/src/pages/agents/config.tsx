import { Page } from '../../parts/page.tsx';

export function ConfigPage() {
  return <Page title="Config">This page is not built yet.</Page>;
}
