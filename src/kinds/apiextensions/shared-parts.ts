import { isDeepEqual } from '#base';
import type { DefinitionVersion } from './definition-messages.ts';

/** Parts of a version that once were fields of the definition, for all versions. */
export const SHARED = ['schema', 'subresources', 'additionalPrinterColumns'] as const;

export type SharedPart = (typeof SHARED)[number];

/** Whether a part is equal in all versions: it is validated once, at the path of the former field, and not shown with each version. */
export const isShared = (versions: readonly DefinitionVersion[], part: SharedPart): boolean =>
  versions.every((version) => isDeepEqual(version[part], versions[0]?.[part]));

export const hasStatus = ({ subresources }: DefinitionVersion): boolean => subresources?.status !== undefined;
