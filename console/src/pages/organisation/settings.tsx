import { Page } from '../../parts/page.tsx';

export function SettingsPage() {
  return <Page title="Settings">This page is not built yet.</Page>;
}
