/** One line of the table. */
export interface Row {
  measure: string;
  unit: 's' | 'ms' | 'MB' | 'requests/s' | 'tx/s' | 'entries/s';
  samples: number[];
  /** The same work by the bare thing, in turns with ours. A row with it has its goal in the ratio of ours to the bare thing. */
  bare?: number[];
  /** The p50 must not exceed this; without a goal the number is for information. */
  at_most?: number;
  /** The p99 must not exceed this, where the rare ones count. */
  p99_at_most?: number;
  /** The p50 must reach this. */
  at_least?: number;
  how: string;
}
