import { Page } from '../../parts/page.tsx';

export function NewAgentPage() {
  return <Page title="New Agent">This page is not built yet.</Page>;
}
