import { Page } from '../../parts/page.tsx';

export function DoctorPage() {
  return <Page title="Doctor">This page is not built yet.</Page>;
}
