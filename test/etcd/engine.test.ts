import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { openEngine, type Engine } from '#storage';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { loadEngineSuite } from './load-engine-suite.ts';

describe('etcd', { skip: NO_ETCD }, async () => {
  if (NO_ETCD !== false) return;
  const { engineSuite, HISTORY_SECONDS } = await loadEngineSuite();
  let etcd: EtcdProcess | undefined;

  const reopen = (clock: Parameters<Parameters<typeof engineSuite>[1]['open']>[0]): Promise<Engine> => {
    assert.ok(etcd !== undefined);
    return openEngine(`etcd://${etcd.address}`, { clock, historySeconds: HISTORY_SECONDS });
  };

  engineSuite('etcd', {
    hasOwnTime: true,
    async open(clock) {
      await etcd?.remove();
      etcd = await EtcdProcess.start();
      return reopen(clock);
    },
    reopen,
    clean: async () => etcd?.remove(),
  });
});
