/** One line of the table. */
export interface Row {
  measure: string;
  unit: 's' | 'ms' | 'MB' | 'requests/s' | 'entries/s';
  samples: number[];
  /** What the p50 must not exceed; absent where the number is only to be known. */
  at_most?: number;
  /** What the p50 of a rate must reach. */
  at_least?: number;
  how: string;
}
