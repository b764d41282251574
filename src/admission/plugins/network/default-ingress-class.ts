import type { ApiObject } from '#api';
import type { Ingress } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

const INGRESS_CLASS = { group: 'networking', kind: 'IngressClass' };

/**
 * Sets the default ingress class in new ingresses that name none.
 * @spec 4.11
 */
export const defaultIngressClass = definePlugin({
  name: 'DefaultIngressClass',
  enabled: true,
  band: 'builtin',
  after: ['CertificateSubjectRestriction', 'RuntimeClass'],
  create({ brand, objects }) {
    const { domain } = brand.names;
    const isDefault = ({ metadata }: ApiObject): boolean => metadata.annotations?.[`ingressclass.${domain}/is-default-class`] === 'true';
    return {
      on: ['CREATE'],
      kinds: ['networking/ingresses'],
      async mutate(request) {
        const { metadata, spec } = request.object as Ingress;
        // The annotation is how a class was named before there was a field.
        if (spec.ingressClassName !== undefined || metadata.annotations?.[`${domain}/ingress.class`] !== undefined) return;
        const classes = (await objects.list(INGRESS_CLASS, '')).filter(isDefault);
        if (classes.length > 1) throw refuse(request, `Internal error occurred: ${classes.length} default IngressClasses were found, only 1 allowed`);
        const name = classes[0]?.metadata.name;
        if (name !== undefined) spec.ingressClassName = name;
      },
    };
  },
});
