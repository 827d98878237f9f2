import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { TestCluster } from './cluster.ts';

/** This process accepts the cluster's registry. */
export function trustRegistry({ registry }: Pick<TestCluster, 'registry'>): void {
  setDefaultCACertificates([...getCACertificates(), readFileSync(registry.authority_file, 'utf8')]);
}
