import { ObjectMeta } from '#api';
import { t } from '#schema';
import { dropOldAnnotations } from './drop-old-annotations.ts';
import { PodSpec } from './pod-spec.ts';

export class PodTemplateSpec extends t.message(
  'core/v1.PodTemplateSpec',
  {
    metadata: t.one(1, ObjectMeta),
    spec: t.one(2, PodSpec),
  },
  { defaults: dropOldAnnotations },
) {}
