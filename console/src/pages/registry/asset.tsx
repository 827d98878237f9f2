import { Page } from '../../parts/page.tsx';

export function AssetPage() {
  return <Page title="Asset">This page is not built yet.</Page>;
}
