import { ApiError, withoutReason } from '#errors';
import type { ApiObject } from '#api';
import type { ComponentStatus } from '#kinds';
import type { Stored } from '#registry';
import type { Component } from '../component.ts';
import { replyList } from '../represent-list.ts';
import { replyObject } from '../represent.ts';
import { readListOptions } from '../list-options.ts';
import { readSelection } from '../selection.ts';
import type { VerbHandler } from '../verb-context.ts';

/** Checks the health of the components. They cannot be watched. */
export const componentStatus: VerbHandler = async (context) => {
  const { route, env } = context;
  if (route.verb === 'watch') {
    throw new ApiError('MethodNotAllowed', `watch is not supported on resources of kind ${JSON.stringify(route.resource.plural)}`, { kind: route.resource.plural });
  }
  if (route.verb === 'list') {
    const { matches = () => true } = readSelection(context, readListOptions(context));
    const all = await Promise.all(env.components.map(checkComponent));
    return replyList(context, { items: all.filter(matches), revision: 0 });
  }
  const component = env.components.find(({ name }) => name === route.key.name);
  // kube-apiserver does not report this as `NotFound`.
  if (component === undefined) throw withoutReason(`Component not found: ${route.key.name}`);
  return replyObject(context, 200, await checkComponent(component));
};

async function checkComponent({ name, check }: Component): Promise<Stored> {
  const wrong = await check();
  const condition = wrong === undefined ? { type: 'Healthy', status: 'True', message: 'ok' } : { type: 'Healthy', status: 'False', message: wrong };
  const status: ComponentStatus = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
  return shown(status);
}

/** An object that is not stored, in the form of a stored one. */
function shown(object: ApiObject): Stored {
  const json = new TextEncoder().encode(JSON.stringify(object));
  return { key: '', revision: 0, json, object, labels: {}, fields: { 'metadata.name': object.metadata.name ?? '' }, encodings: new Map() };
}
