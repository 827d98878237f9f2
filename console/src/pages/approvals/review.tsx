import { Page } from '../../parts/page.tsx';

export function ReviewPage() {
  return <Page title="Review">This page is not built yet.</Page>;
}
