import { Page } from '../../parts/page.tsx';

export function UsersPage() {
  return <Page title="Users">This page is not built yet.</Page>;
}
