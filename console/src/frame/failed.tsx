import { Link } from '@tanstack/react-router';
import { Empty, Page } from '../parts/page/page.tsx';
import { Refusal } from '../parts/refusal.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty
        action={
          <Link to="/" className="text-accent">
            Home
          </Link>
        }
      >
        The address is wrong, or the page was removed.
      </Empty>
    </Page>
  );
}

export function PageFailed({ error }: { error: unknown }) {
  return (
    <Page title="This page cannot be shown">
      <Refusal error={error} />
    </Page>
  );
}
