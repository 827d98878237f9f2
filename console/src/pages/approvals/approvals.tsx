import { Page } from '../../parts/page.tsx';

export function ApprovalsPage() {
  return <Page title="Approvals">This page is not built yet.</Page>;
}
