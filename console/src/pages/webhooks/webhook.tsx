import { Page } from '../../parts/page.tsx';

export function WebhookPage() {
  return <Page title="Webhook">This page is not built yet.</Page>;
}
