import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandOf } from '#api';
import { createKeySpace } from './key-space.ts';

describe('keys of a dialect', () => {
  it('are those of Kubernetes in its dialect', () => {
    const { keyOf: key, prefixOf: prefix } = createKeySpace(brandOf('kubernetes'));
    const rows = [
      [{ group: '', resource: 'pods', namespace: 'n', name: 'a' }, '/registry/pods/n/a'],
      [{ group: '', resource: 'services', namespace: 'n', name: 'a' }, '/registry/services/specs/n/a'],
      [{ group: '', resource: 'endpoints', namespace: 'n', name: 'a' }, '/registry/services/endpoints/n/a'],
      [{ group: '', resource: 'nodes', name: 'a' }, '/registry/minions/a'],
      [{ group: '', resource: 'replicationcontrollers', namespace: 'n', name: 'a' }, '/registry/controllers/n/a'],
      [{ group: 'apps', resource: 'deployments', namespace: 'n', name: 'a' }, '/registry/deployments/n/a'],
      [{ group: 'networking.k8s.io', resource: 'ingresses', namespace: 'n', name: 'a' }, '/registry/ingress/n/a'],
      [{ group: 'policy', resource: 'podsecuritypolicies', name: 'a' }, '/registry/podsecuritypolicy/a'],
      [{ group: 'rbac.authorization.k8s.io', resource: 'roles', namespace: 'n', name: 'a' }, '/registry/roles/n/a'],
      [{ group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas', name: 'a' }, '/registry/flowschemas/a'],
      [{ group: 'apiregistration.k8s.io', resource: 'apiservices', name: 'a' }, '/registry/apiregistration.k8s.io/apiservices/a'],
      [{ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', name: 'a' }, '/registry/apiextensions.k8s.io/customresourcedefinitions/a'],
      [{ group: 'storage.k8s.io', resource: 'pods', namespace: 'n', name: 'a' }, '/registry/storage.k8s.io/pods/n/a'],
      [{ group: 'storage.k8s.io', resource: 'storageclasses', name: 'a' }, '/registry/storageclasses/a'],
      [{ group: 'stable.example.com', resource: 'pods', namespace: 'n', name: 'a' }, '/registry/stable.example.com/pods/n/a'],
    ] as const;
    for (const [place, expected] of rows) assert.equal(key(place), expected);
    assert.equal(prefix({ group: '', resource: 'services' }), '/registry/services/specs/');
  });

  it('lie under a root of choice in both', () => {
    const place = { group: 'apps', resource: 'deployments', namespace: 'n', name: 'a' };
    assert.equal(createKeySpace(brandOf('kubernetes'), '/x/y').keyOf(place), '/x/y/deployments/n/a');
    assert.equal(createKeySpace(brandOf('orch'), '/x/y').keyOf(place), '/x/y/apps/deployments/n/a');
    assert.equal(createKeySpace(brandOf('orch')).keyOf(place), '/registry/apps/deployments/n/a');
  });

  it('never leave their folder', () => {
    for (const dialect of ['orch', 'kubernetes'] as const) {
      const { keyOf: key } = createKeySpace(brandOf(dialect), '/x');
      for (const name of ['', '..', 'a/b', 'a\u0000']) {
        assert.throws(() => key({ group: '', resource: 'services', namespace: 'n', name }), RangeError);
        assert.throws(() => key({ group: name === '' ? '..' : name, resource: 'services', name: 'a' }), RangeError);
      }
    }
  });
});
