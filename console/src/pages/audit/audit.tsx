import { Page } from '../../parts/page.tsx';

export function AuditPage() {
  return <Page title="Audit">This page is not built yet.</Page>;
}
