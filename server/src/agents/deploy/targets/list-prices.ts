// What vendors ask for an hour, in US dollars, from their public lists. A region stands here only where its price was found. Without discounts and free
// amounts, and for compute alone: logs, images, secrets and traffic cost more.

interface PriceList {
  as_of: string;
  source: string;
  /** By region. `cpu`: of a processor; `memory`: of a gigabyte, as the vendor counts it. */
  regions: Readonly<Record<string, { cpu: number; memory: number }>>;
}

const fargate = { cpu: 0.04048, memory: 0.004445 };
// Listed by the second, for instances that keep their processor: a replica that dials in is never without an open connection.
const cloud_run = { cpu: 0.000018 * 3600, memory: 0.000002 * 3600 };

export const listPrices = {
  'Fargate (Linux, x86)': {
    as_of: '2026-03-01',
    source: 'https://aws.amazon.com/fargate/pricing/',
    regions: { 'us-east-1': fargate, 'us-east-2': fargate, 'us-west-2': fargate, 'eu-west-1': fargate },
  },
  'Cloud Run': {
    as_of: '2025-01-01',
    source: 'https://cloud.google.com/run/pricing',
    regions: { 'us-central1': cloud_run, 'us-east1': cloud_run, 'us-west1': cloud_run, 'europe-west1': cloud_run },
  },
} as const satisfies Record<string, PriceList>;

export type PricedService = keyof typeof listPrices;
