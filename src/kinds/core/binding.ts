import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { ObjectReference } from './object-reference.ts';

export class BindingBody extends t.message('core/v1.Binding', { target: t.one(2, ObjectReference).required() }) {}

/** Binds a pod to a node; never stored. Also the body of the `binding` subresource of pods. */
export const Binding = defineKind(BindingBody, {
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  scope: 'Namespaced',
  verbs: ['create'],
  versions: { v1: { schema: BindingBody } },
  storage: 'v1',
  action: 'binding',
  validate({ target }, _live, at) {
    const here = at.child('target');
    if (target.kind && target.kind !== 'Node') here.child('kind').notSupported(target.kind, ['Node', '<empty>']);
    if (!target.name) here.child('name').required();
  },
});
export type Binding = ObjectOf<typeof Binding>;
