import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { NodeProxyOptions, PROXY_VERBS } from './connect-options.ts';
import { NODE_COLUMNS } from './node-columns.ts';
import { NodeSpec } from './node-spec.ts';
import { NodeStatus } from './node-status.ts';
import { podRulesOf } from './pod/pod-rules.ts';
import { validateNodeChange, validateNodeContent } from './validate-node.ts';

class Body extends t.message('core/v1.Node', { spec: t.one(2, NodeSpec), status: t.one(3, NodeStatus) }) {}

/** A machine that runs pods. */
export const Node = defineKind(Body, {
  group: '',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: {
    proxy: { verbs: PROXY_VERBS, carries: { group: '', version: 'v1', kind: 'NodeProxyOptions' }, query: NodeProxyOptions, connects: 'proxy' },
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'], isKeptOnCreate: true },
  },
  columns: NODE_COLUMNS,
  select: ({ spec }) => ({ 'spec.unschedulable': String(spec.unschedulable ?? false) }),
  prepare(next, live) {
    // Dynamic kubelet configuration is a feature that is off: a node that has it from when it was on keeps it.
    if (live?.spec.configSource === undefined) delete next.spec.configSource;
    if (live?.status.config === undefined) delete next.status.config;
  },
  validate(next, live, at, context) {
    const rules = podRulesOf(context);
    if (context.subresource === '') {
      validateNodeContent(next, at, rules);
    }
    if (live !== undefined) validateNodeChange(next, live, at, rules);
  },
  warn: ({ spec }, _live, { subresource }) => (subresource !== '' || spec.configSource === undefined ? [] : ['spec.configSource: deprecated in v1.22, support removal is planned in v1.23']),
});
export type Node = ObjectOf<typeof Node>;
