/** One line of the table. */
export interface Row {
  measure: string;
  unit:
    | 's'
    | 'ms'
    | 'KB'
    | 'MB'
    | 'requests/s'
    | 'streams/s'
    | 'tx/s'
    | 'entries/s'
    | 'pages/s'
    | 'requests'
    | 'containers'
    | 'connections'
    | '%';
  /** None if it could not be measured; `how` then has the reason. */
  samples: number[];
  /** The same work without our code, in turns with ours. The goal of such a row is the ratio of ours to it. */
  bare?: number[];
  /** The p50 must not exceed this; without a goal the number is for information. */
  at_most?: number;
  /** The p99 must not exceed this, for rows whose rare values count. */
  p99_at_most?: number;
  /** The p50 must reach this. */
  at_least?: number;
  how: string;
}
