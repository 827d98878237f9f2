import { Page } from '../../parts/page.tsx';

export function VerifyPage() {
  return <Page title="Verify">This page is not built yet.</Page>;
}
