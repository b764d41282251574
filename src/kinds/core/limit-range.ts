import { randomUUID } from '#base';
import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { LimitRangeItem } from './limit-range-spec.ts';
import { podRulesOf } from './pod/pod-rules.ts';
import { validateLimits } from './validate-limit-range.ts';

class Spec extends t.message('core/v1.LimitRangeSpec', { limits: t.many(1, LimitRangeItem).required() }) {}

class Body extends t.message('core/v1.LimitRange', { spec: t.one(2, Spec) }) {}

export const LimitRange = defineKind(Body, {
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  createOnUpdate: true,
  repeatsMetadataRules: ['content'],
  complete({ metadata }) {
    // LimitRange alone needs neither name nor generateName.
    if (!metadata.name) metadata.name = randomUUID();
  },
  validate(next, _live, at, context) {
    validateLimits(next.spec.limits ?? [], at.child('spec', 'limits'), podRulesOf(context));
  },
});
export type LimitRange = ObjectOf<typeof LimitRange>;
