import { Page } from '../../parts/page.tsx';

export function NewAssetPage() {
  return <Page title="New Asset">This page is not built yet.</Page>;
}
