import type { Component } from '#endpoints';
import type { HealthCheck } from '#http';

/** The parts of the system that clients may ask about: the store. Schedulers and controllers are other programs, which tell about themselves. */
export const componentsOf = (checks: readonly HealthCheck[]): readonly Component[] =>
  checks.filter(({ name }) => name === 'etcd').map(({ check }) => ({ name: 'store', check: async () => check('healthz') }));
