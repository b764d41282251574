/** Which figures are shown. */
export interface MetricsOptions {
  /** Metrics that are not shown. Default: none. */
  readonly disabled?: readonly string[];
  /** For labels of metrics, `metric,label`, the only values that are shown; others count together as `unexpected`. Default: none. */
  readonly allowedLabels?: ReadonlyMap<string, readonly string[]>;
  /** The release before this one, as `1.22`: metrics are shown that it showed, and this one hides. Default: they stay hidden. */
  readonly hiddenSince?: string;
}
