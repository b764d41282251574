import { hasNoMembers, isJsonObject, type JsonObject, memberOf, setMember } from '#base';
import { type PathElement } from '../fieldpath/element.ts';
import { itemsOf } from './list-items.ts';
import { DEDUCED_OBJECT, type ItemList, type MemberStructure, type Structure } from './structure-form.ts';
import { partOf } from './structure-parts.ts';

/**
 * The live value with the config merged into it. Neither is changed; the result shares parts with both. Throws StructureFailure where list items have
 * the same key, or none.
 */
export function merge(structure: Structure, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined && structure.is === 'leaf') return config;
  switch (structure.is) {
    case 'leaf':
      return config;
    case 'deduced':
      return isJsonObject(config) || config === null ? mergeMembers(DEDUCED_OBJECT, live, config) : config;
    case 'struct':
    case 'map':
      return mergeMembers(structure, live, config);
    case 'set':
    case 'keyed':
      return mergeItems(structure, live, config);
  }
}

function mergeMembers(structure: MemberStructure, live: unknown, config: unknown): unknown {
  const left = isJsonObject(live) ? live : {};
  const right = isJsonObject(config) ? config : {};
  if (hasNoMembers(left) && hasNoMembers(right)) return config;
  const merged: JsonObject = {};
  for (const name of Object.keys(left)) setMember(merged, name, merge(partOf(structure, name), left[name], memberOf(right, name)));
  for (const name of Object.keys(right)) {
    if (!Object.hasOwn(left, name)) setMember(merged, name, merge(partOf(structure, name), undefined, right[name]));
  }
  return merged;
}

function mergeItems(list: ItemList, live: unknown, config: unknown): unknown {
  const left = itemsOf(list, live, []);
  const right = itemsOf(list, config, []);
  if (left.size === 0 && right.size === 0) return config;
  const item = list.is === 'keyed' ? list.of() : undefined;
  const mergeItem = (element: PathElement): unknown =>
    item === undefined ? (right.get(element) ?? left.get(element)) : merge(item, left.get(element), right.get(element));
  return mergeOrder([...left.keys()], [...right.keys()]).map(mergeItem);
}

/** Items that both have come in the order of the config; the others stay beside their neighbours. */
export function mergeOrder(live: readonly PathElement[], config: readonly PathElement[]): readonly PathElement[] {
  const inLive = new Set(live);
  const inConfig = new Set(config);
  const shared = config.filter((element) => inLive.has(element));
  const order: PathElement[] = [];
  let nextShared = 0;
  let l = 0;
  let c = 0;
  while (l < live.length || c < config.length) {
    const left = live[l];
    const right = config[c];
    if (left !== undefined && left === right) {
      order.push(left);
      l++;
      c++;
      nextShared++;
    } else if (left !== undefined && right !== undefined && inConfig.has(left) && (shared[nextShared] ?? left) !== left) {
      // The item comes later, at its place in the config.
      l++;
    } else if (left !== undefined && !inConfig.has(left)) {
      order.push(left);
      l++;
    } else if (right !== undefined) {
      order.push(right);
      c++;
      if (right === shared[nextShared]) nextShared++;
    } else {
      l++;
    }
  }
  return order;
}
