import { Page } from '../../parts/page.tsx';

export function AccessPage() {
  return <Page title="Access">This page is not built yet.</Page>;
}
