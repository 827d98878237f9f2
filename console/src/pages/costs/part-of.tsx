import type { CostReport } from '@gantry/contract/models/costs.ts';
import { Closed, Empty } from '../../parts/page/page.tsx';

/** In place of an empty report: a reader of a part of the costs never reads that there are none. */
export function PartOf({ report, none }: { report: CostReport | undefined; none: string }) {
  if (report?.whole.allowed === false) return <Closed can={report.whole} />;
  return <Empty>{none}</Empty>;
}
