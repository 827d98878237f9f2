import { Page } from '../../parts/page.tsx';

export function HomePage() {
  return <Page title="Home">.</Page>;
}
