import { LabelSelector } from '#api';
import { t } from '#schema';
import { NodeSelector, NodeSelectorTerm } from './node-selector.ts';

export class PreferredSchedulingTerm extends t.message('core/v1.PreferredSchedulingTerm', {
  weight: t.int32(1).required(),
  preference: t.one(2, NodeSelectorTerm).required(),
}) {}

export class NodeAffinity extends t.message('core/v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: t.perhaps(1, NodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: t.many(2, PreferredSchedulingTerm),
}) {}

export class PodAffinityTerm extends t.message('core/v1.PodAffinityTerm', {
  labelSelector: t.perhaps(1, LabelSelector),
  namespaces: t.strings(2),
  topologyKey: t.string(3).required(),
  namespaceSelector: t.perhaps(4, LabelSelector),
}) {}

export class WeightedPodAffinityTerm extends t.message('core/v1.WeightedPodAffinityTerm', {
  weight: t.int32(1).required(),
  podAffinityTerm: t.one(2, PodAffinityTerm).required(),
}) {}

export class PodAffinity extends t.message('core/v1.PodAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: t.many(1, PodAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: t.many(2, WeightedPodAffinityTerm),
}) {}

export class PodAntiAffinity extends t.message('core/v1.PodAntiAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: t.many(1, PodAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: t.many(2, WeightedPodAffinityTerm),
}) {}

export class Affinity extends t.message('core/v1.Affinity', {
  nodeAffinity: t.perhaps(1, NodeAffinity),
  podAffinity: t.perhaps(2, PodAffinity),
  podAntiAffinity: t.perhaps(3, PodAntiAffinity),
}) {}
