import type { MonthlyCost } from './outside.ts';
import { listPrices, type PricedService } from './list-prices.ts';
import type { Planned } from './target.ts';

interface Billed {
  service: PricedService;
  region: string;
  /** Of a replica, as the vendor bills it. */
  size: { cpu: number; memory_gb: number };
  scaling: Planned['scaling'];
}

/** For `cost` and `notes` of a plan: without a known price there is no cost, and a sentence says so. */
export function monthlyCost({ service, region, size, scaling }: Billed): { cost?: MonthlyCost; notes: string[] } {
  const { as_of, source, regions } = listPrices[service];
  const prices: Readonly<Record<string, { cpu: number; memory: number }>> = regions;
  const price = Object.hasOwn(prices, region) ? prices[region] : undefined;
  if (price === undefined)
    return { notes: [`What a month costs is not known: no price of ${service} in ${region} is listed here.`] };
  const each = hours_of_month * (size.cpu * price.cpu + size.memory_gb * price.memory);
  const of = (replicas: number) => (replicas * each).toFixed(2);
  return { cost: { currency: 'USD', idle: of(scaling.min), max: of(scaling.max), as_of, source }, notes: [] };
}

// As the calculators of the vendors count.
const hours_of_month = 730;
