import { Page } from '../../parts/page.tsx';

export function DifferencePage() {
  return <Page title="Difference">This page is not built yet.</Page>;
}
