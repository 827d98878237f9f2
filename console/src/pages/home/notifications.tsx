import { Page } from '../../parts/page.tsx';

export function NotificationsPage() {
  return <Page title="Notifications">This page is not built yet.</Page>;
}
