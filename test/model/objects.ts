import type { TestJson } from '#testing';
import type { Item } from './history.ts';

/** Values are `<number>-<ending>`; the ending is a label too. */
export const ENDINGS = ['a', 'b'] as const;

export const configMap = (name: string, value: string, revision?: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { ending: value.slice(-1) }, ...(revision === undefined ? {} : { resourceVersion: String(revision) }) },
  data: { value },
});

export const itemOf = ({ metadata, data }: TestJson): Item => ({
  key: String(metadata.name),
  value: String(data?.value),
  revision: Number(metadata.resourceVersion),
});
