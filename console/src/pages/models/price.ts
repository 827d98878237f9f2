import type { Model, ModelPrice } from '@gantry/contract/models/models.ts';
import { money } from '../../parts/figures/figures.ts';

export function rate(price: ModelPrice | null, of: string): string {
  return money(price?.usd_per_million[of]);
}

export function fromWhere({ price, own_price }: Model): string {
  if (price === null) return 'unknown, so a budget refuses its calls';
  return own_price === null ? `of the price table ${price.version}` : 'of its config';
}
