import { Page } from '../../parts/page.tsx';

export function TracePage() {
  return <Page title="Trace">This page is not built yet.</Page>;
}
