import type { Outbound } from '../outbound/outbound.ts';
import type { Admission } from './admission.ts';
import type { Model } from './model.ts';

export interface GatewayParts {
  admission: Admission;
  outbound: Outbound;
  /** The credential of a model's upstream; undefined for one that needs none. */
  credentialOf(model: Model): Promise<string | undefined>;
  /** An answer that broke off after its first byte. */
  onBroken(cause: unknown): void;
  /** Work that continues after the answer. */
  background(work: Promise<unknown>): void;
}
