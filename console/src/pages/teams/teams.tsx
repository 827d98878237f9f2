import { Page } from '../../parts/page.tsx';

export function TeamsPage() {
  return <Page title="Teams">This page is not built yet.</Page>;
}
