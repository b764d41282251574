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

/** Fields that identify an object or that the server maintains: no manager owns them. */
const SYSTEM_FIELDS: FieldSet = setOf(
  pathOf('apiVersion'),
  pathOf('kind'),
  pathOf('metadata'),
  ...METADATA.map((name) => pathOf('metadata', name)),
);

/** The set without those fields. */
export const stripSystemFields = (fields: FieldSet): FieldSet => difference(fields, SYSTEM_FIELDS);
