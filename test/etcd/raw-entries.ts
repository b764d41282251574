import { openEngine, type Entry } from '#storage';
import type { EtcdProcess } from './etcd-process.ts';

/** What really stands in etcd: keys and values, as any other program sees them. */
export async function entriesOf(etcd: EtcdProcess): Promise<ReadonlyMap<string, string>> {
  const engine = await openEngine(`etcd://${etcd.address}`);
  const { entries } = await engine.scan({ start: '/', end: '0' });
  await engine.close();
  return new Map(entries.map(({ key, value }: Entry) => [key, Buffer.from(value).toString('latin1')]));
}

/** Puts a value there as another program would. */
export async function putEntry(etcd: EtcdProcess, key: string, value: Uint8Array): Promise<void> {
  const engine = await openEngine(`etcd://${etcd.address}`);
  const commit = await engine.commit({ key, expect: (await engine.get(key))?.revision ?? 0, value });
  await engine.close();
  if (!commit.done) throw new Error(`${key} changed meanwhile`);
}
