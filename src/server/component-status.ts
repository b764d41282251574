import type { Component } from '#endpoints';
import type { HealthCheck } from '#http';

/** The components of ComponentStatus: the store alone. Schedulers and controller managers are other programs with health endpoints of their own. */
export const componentsOf = (checks: readonly HealthCheck[]): readonly Component[] =>
  checks.filter(({ name }) => name === 'etcd').map(({ check }) => ({ name: 'store', check: async () => check('healthz') }));
