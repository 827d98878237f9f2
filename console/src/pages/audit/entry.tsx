import { Page } from '../../parts/page.tsx';

export function EntryPage() {
  return <Page title="Entry">This page is not built yet.</Page>;
}
