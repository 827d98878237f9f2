import { Page } from '../../parts/page.tsx';

export function RevisionsPage() {
  return <Page title="Revisions">This page is not built yet.</Page>;
}
