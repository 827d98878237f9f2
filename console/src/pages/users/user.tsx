import { Page } from '../../parts/page.tsx';

export function UserPage() {
  return <Page title="User">This page is not built yet.</Page>;
}
