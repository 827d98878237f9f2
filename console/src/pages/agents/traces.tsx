import { Page } from '../../parts/page.tsx';

export function TracesPage() {
  return <Page title="Traces">This page is not built yet.</Page>;
}
