import { Page } from '../../parts/page.tsx';

export function PrincipalPage() {
  return <Page title="Principal">This page is not built yet.</Page>;
}
