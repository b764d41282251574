import type { ApiObject } from '#api';
import { t } from '#schema';
import { WebhookClientConfig } from './conversion-client.ts';
import { JSONSchemaProps } from './schema-messages.ts';

export class DefinitionNames extends t.message('apiextensions/v1.CustomResourceDefinitionNames', {
  plural: t.string(1).required(),
  singular: t.string(2),
  shortNames: t.strings(3),
  kind: t.string(4).required(),
  listKind: t.string(5),
  categories: t.strings(6),
}) {}

class StatusPart extends t.message('apiextensions/v1.CustomResourceSubresourceStatus', {}) {}

export class ScalePart extends t.message('apiextensions/v1.CustomResourceSubresourceScale', {
  specReplicasPath: t.string(1).required(),
  statusReplicasPath: t.string(2).required(),
  labelSelectorPath: t.maybe.string(3),
}) {}

export class Subresources extends t.message('apiextensions/v1.CustomResourceSubresources', {
  status: t.perhaps(1, StatusPart),
  scale: t.perhaps(2, ScalePart),
}) {}

/** Fields of printer columns that all API versions share. */
export const COLUMN_MEMBERS = {
  name: t.string(1).required(),
  type: t.string(2).required(),
  format: t.string(3),
  description: t.string(4),
  priority: t.int32(5),
};

export class PrinterColumn extends t.message('apiextensions/v1.CustomResourceColumnDefinition', {
  ...COLUMN_MEMBERS,
  jsonPath: t.string(6).required(),
}) {}

export class Validation extends t.message('apiextensions/v1.CustomResourceValidation', { openAPIV3Schema: t.perhaps(1, JSONSchemaProps) }) {}

/** Fields of a definition's version that all API versions share. */
export const VERSION_MEMBERS = {
  name: t.string(1).required(),
  served: t.bool(2).required(),
  storage: t.bool(3).required(),
  deprecated: t.bool(7),
  deprecationWarning: t.maybe.string(8),
  schema: t.perhaps(4, Validation),
  subresources: t.perhaps(5, Subresources),
};

export class DefinitionVersion extends t.message('apiextensions/v1.CustomResourceDefinitionVersion', {
  ...VERSION_MEMBERS,
  additionalPrinterColumns: t.many(6, PrinterColumn),
}) {}

class WebhookConversion extends t.message('apiextensions/v1.WebhookConversion', {
  clientConfig: t.perhaps(2, WebhookClientConfig),
  conversionReviewVersions: t.strings(3).required(),
}) {}

export class Conversion extends t.message(
  'apiextensions/v1.CustomResourceConversion',
  {
    strategy: t.string(1).required(),
    webhook: t.perhaps(2, WebhookConversion),
  },
  {
    // A webhook of which nothing is told is none: kube-apiserver stores its parts alone.
    defaults(conversion) {
      const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
      if (clientConfig === undefined && (conversionReviewVersions ?? []).length === 0) delete conversion.webhook;
    },
  },
) {}

/** Defaults `singular` and `listKind`, derived from the kind. */
export function fillNames(names: DefinitionNames): void {
  if (!names.singular && names.kind !== '') names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
}

export class DefinitionSpec extends t.message(
  'apiextensions/v1.CustomResourceDefinitionSpec',
  {
    group: t.string(1).required(),
    names: t.one(3, DefinitionNames).required(),
    scope: t.string(4).required(),
    versions: t.many(7, DefinitionVersion).required().keepEmpty(),
    conversion: t.perhaps(9, Conversion),
    preserveUnknownFields: t.bool(10),
  },
  {
    defaults(spec) {
      fillNames(spec.names);
      spec.conversion ??= { strategy: 'None' };
    },
  },
) {}

class Condition extends t.message('apiextensions/v1.CustomResourceDefinitionCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

export class DefinitionStatus extends t.message('apiextensions/v1.CustomResourceDefinitionStatus', {
  conditions: t.many(1, Condition, { map: ['type'] }).always(),
  acceptedNames: t.one(2, DefinitionNames).always(),
  storedVersions: t.strings(3).always(),
}) {}

/** What the rules of a definition look at. */
export interface Definition extends Pick<ApiObject, 'metadata'> {
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}
