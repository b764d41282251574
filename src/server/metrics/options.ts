/** Which metrics are shown. */
export interface MetricsOptions {
  /** Metrics that are not shown. Default: none. */
  readonly disabled?: readonly string[];
  /** By `metric,label`: the only label values that are shown as they are; others count together as `unexpected`. Default: none. */
  readonly allowedLabels?: ReadonlyMap<string, readonly string[]>;
  /** The previous release (as `1.22`): metrics that it showed and this one hides are shown. Default: they stay hidden. */
  readonly hiddenSince?: string;
}
