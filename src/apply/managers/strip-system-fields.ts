import { pathOf } from '../fieldpath/path.ts';
import { difference, setOf, type FieldSet } from '../fieldpath/set.ts';

const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;

/** What identifies an object or is kept by the server; nobody owns it. */
const SYSTEM_FIELDS: FieldSet = setOf(
  pathOf('apiVersion'),
  pathOf('kind'),
  pathOf('metadata'),
  ...METADATA.map((name) => pathOf('metadata', name)),
);

export const stripSystemFields = (fields: FieldSet): FieldSet => difference(fields, SYSTEM_FIELDS);
