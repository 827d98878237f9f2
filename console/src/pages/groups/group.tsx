import { Page } from '../../parts/page.tsx';

export function GroupPage() {
  return <Page title="Group">This page is not built yet.</Page>;
}
