import { Page } from '../../parts/page.tsx';

export function GroupsPage() {
  return <Page title="Groups">This page is not built yet.</Page>;
}
