import type { ApiObject, KindObject } from '#api';
import { t } from '#schema';
import { WebhookClientConfig } from './conversion-client.ts';
import { COLUMN_MEMBERS, DefinitionNames, DefinitionStatus, fillNames, Subresources, Validation, VERSION_MEMBERS, type Conversion, type DefinitionSpec, type DefinitionVersion, type PrinterColumn } from './definition-messages.ts';

class ColumnBeta extends t.message('apiextensions/v1beta1.CustomResourceColumnDefinition', {
  ...COLUMN_MEMBERS,
  JSONPath: t.string(6).required(),
}) {}

class VersionBeta extends t.message('apiextensions/v1beta1.CustomResourceDefinitionVersion', {
  ...VERSION_MEMBERS,
  additionalPrinterColumns: t.many(6, ColumnBeta),
}) {}

class ConversionBeta extends t.message('apiextensions/v1beta1.CustomResourceConversion', {
  strategy: t.string(1).required(),
  webhookClientConfig: t.perhaps(2, WebhookClientConfig),
  conversionReviewVersions: t.strings(3),
}) {}

class SpecBeta extends t.message(
  'apiextensions/v1beta1.CustomResourceDefinitionSpec',
  {
    group: t.string(1).required(),
    version: t.string(2),
    names: t.one(3, DefinitionNames).required(),
    scope: t.string(4).required(),
    validation: t.perhaps(5, Validation),
    subresources: t.perhaps(6, Subresources),
    versions: t.many(7, VersionBeta),
    additionalPrinterColumns: t.many(8, ColumnBeta),
    conversion: t.perhaps(9, ConversionBeta),
    preserveUnknownFields: t.maybe.bool(10),
  },
  {
    defaults(spec) {
      const { names, version } = spec;
      spec.scope ||= 'Namespaced';
      fillNames(names);
      if (version && (spec.versions ?? []).length === 0) spec.versions = [{ name: version, served: true, storage: true }];
      spec.conversion ??= { strategy: 'None' };
      const { conversion } = spec;
      if (conversion.strategy === 'Webhook' && (conversion.conversionReviewVersions ?? []).length === 0) conversion.conversionReviewVersions = ['v1beta1'];
      spec.preserveUnknownFields ??= true;
    },
  },
) {}

/** The v1beta1 form of definitions: Kubernetes' own servers up to 1.23 store it, and clients sent it before 1.22. */
export class DefinitionV1Beta1 extends t.message(
  'apiextensions/v1beta1.CustomResourceDefinition',
  { spec: t.one(2, SpecBeta).required(), status: t.one(3, DefinitionStatus) },
  {
    defaults({ spec, status }) {
      if ((status.storedVersions ?? []).length > 0) return;
      const storage = spec.versions?.find((version) => version.storage);
      if (storage !== undefined) status.storedVersions = [storage.name];
    },
  },
) {}

/** Converts v1beta1 to v1: values shared by all versions are copied to each of them. Changes the object. */
export function toV1(object: ApiObject): ApiObject {
  const definition = object as KindObject<DefinitionV1Beta1>;
  const { group, names, scope, validation, subresources, additionalPrinterColumns, conversion, preserveUnknownFields } = definition.spec;
  const versions = (definition.spec.versions ?? []).map(({ schema = validation, subresources: parts = subresources, ...version }): DefinitionVersion => {
    const columns = version.additionalPrinterColumns ?? additionalPrinterColumns;
    const { additionalPrinterColumns: _, ...rest } = version;
    return {
      ...rest,
      ...(schema === undefined ? {} : { schema }),
      ...(parts === undefined ? {} : { subresources: parts }),
      ...(columns ? { additionalPrinterColumns: columns.map(toColumn) } : {}),
    };
  });
  const spec: DefinitionSpec = {
    group,
    names,
    scope,
    versions,
    ...(conversion === undefined ? {} : { conversion: toConversion(conversion) }),
    ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
  };
  return Object.assign(object, { spec });
}

const toColumn = ({ JSONPath, ...column }: ColumnBeta): PrinterColumn => ({ ...column, jsonPath: JSONPath });

function toConversion({ strategy, webhookClientConfig: clientConfig, conversionReviewVersions: reviews }: ConversionBeta): Conversion {
  if (clientConfig === undefined && !reviews) return { strategy };
  return { strategy, webhook: { ...(clientConfig === undefined ? {} : { clientConfig }), conversionReviewVersions: reviews ?? [] } };
}
