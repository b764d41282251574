import { isDeepEqual } from '#base';
import type { Toleration } from './toleration.ts';

/** Concatenates two lists, without tolerations that another one covers. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [position, one] of all.entries()) {
    const isCovered = merged.some((other) => covers(other, one)) || all.slice(position + 1).some((other) => !isDeepEqual(one, other) && covers(other, one));
    if (!isCovered) merged.push(one);
  }
  return merged;
}

/** Whether `wide` tolerates every taint that `narrow` tolerates. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isDeepEqual(wide, narrow)) return true;
  const isForAnyKey = !wide.key && wide.operator === 'Exists';
  if ((narrow.key ?? '') !== (wide.key ?? '') && !isForAnyKey) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return (wide.operator ?? '') === (narrow.operator ?? '') && (wide.value ?? '') === (narrow.value ?? '');
}
