import { Page } from '../../parts/page.tsx';

export function TryItPage() {
  return <Page title="Try It">This page is not built yet.</Page>;
}
