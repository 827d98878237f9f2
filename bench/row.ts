/** One line of the table. */
export interface Row {
  measure: string;
  unit: 's' | 'ms' | 'MB' | 'requests/s' | 'tx/s' | 'entries/s';
  samples: number[];
  /** The upper limit of the p50; absent for a figure without a target. */
  at_most?: number;
  /** The upper limit of the p99, for targets on rare cases. */
  p99_at_most?: number;
  /** The lower limit of the p50 of a rate. */
  at_least?: number;
  how: string;
}
