// The only map of stores. A secret names the store of its value.
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { ours } from './ours.ts';

export type Stores = ReturnType<typeof stores>;
export type StoreName = keyof Stores;

export const stores = ({ envelope }: { envelope: Envelope }) => ({ ours: ours(envelope) });
