/** One line of the table. */
export interface Row {
  measure: string;
  unit: 's' | 'ms' | 'MB' | 'requests/s' | 'tx/s' | 'entries/s';
  samples: number[];
  /** What the p50 must not exceed; absent where the number is only to be known. */
  at_most?: number;
  /** What the p99 must not exceed, where the rare ones count. */
  p99_at_most?: number;
  /** What the p50 must reach, of a rate. */
  at_least?: number;
  how: string;
}
