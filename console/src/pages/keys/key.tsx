import { Page } from '../../parts/page.tsx';

export function KeyPage() {
  return <Page title="Key">This page is not built yet.</Page>;
}
