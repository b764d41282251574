/** The stage of a feature: `GA` cannot be switched off. */
export type Stage = 'Alpha' | 'Beta' | 'GA';

export interface Feature {
  readonly name: string;
  readonly stage: Stage;
  readonly isOn: boolean;
  /** Whether switching it changes anything here. */
  readonly isSwitched?: true;
}

/** One row per feature gate, with the stages of Kubernetes 1.23. */
export const FEATURES: readonly Feature[] = [
  { name: 'APIListChunking', stage: 'Beta', isOn: true },
  { name: 'APIPriorityAndFairness', stage: 'Beta', isOn: true, isSwitched: true },
  { name: 'APIResponseCompression', stage: 'Beta', isOn: true },
  { name: 'APIServerIdentity', stage: 'Alpha', isOn: false },
  { name: 'APIServerTracing', stage: 'Alpha', isOn: false },
  { name: 'CustomResourceValidationExpressions', stage: 'Alpha', isOn: false },
  { name: 'DaemonSetUpdateSurge', stage: 'Beta', isOn: true, isSwitched: true },
  { name: 'DryRun', stage: 'GA', isOn: true },
  { name: 'EfficientWatchResumption', stage: 'Beta', isOn: true },
  { name: 'NetworkPolicyEndPort', stage: 'Beta', isOn: true, isSwitched: true },
  { name: 'NonPreemptingPriority', stage: 'Beta', isOn: true, isSwitched: true },
  { name: 'OpenAPIEnums', stage: 'Alpha', isOn: false },
  { name: 'OpenAPIV3', stage: 'Alpha', isOn: false, isSwitched: true },
  { name: 'RemainingItemCount', stage: 'Beta', isOn: true },
  { name: 'RemoveSelfLink', stage: 'Beta', isOn: true },
  { name: 'SelectorIndex', stage: 'Beta', isOn: true },
  { name: 'ServerSideApply', stage: 'GA', isOn: true },
  { name: 'ServerSideFieldValidation', stage: 'Alpha', isOn: false },
  { name: 'StorageVersionAPI', stage: 'Alpha', isOn: false },
  { name: 'StorageVersionHash', stage: 'Beta', isOn: true },
  { name: 'WarningHeaders', stage: 'GA', isOn: true },
  { name: 'WatchBookmark', stage: 'GA', isOn: true },
];
