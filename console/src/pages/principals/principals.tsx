import { Page } from '../../parts/page.tsx';

export function PrincipalsPage() {
  return <Page title="Principals">This page is not built yet.</Page>;
}
