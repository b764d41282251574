import { isJsonObject, type JsonObject, memberOf, setMember } from '#base';
import { badRequest } from '#errors';
import { copyJson, DepthFailure, MAX_DEPTH } from './json-value.ts';

/**
 * Applies a JSON merge patch (RFC 7386): members of the patch replace those of the target, null removes them, and lists are replaced as a whole.
 * Changes neither argument; the result shares untouched parts with the target. As in 1.23, members that are null are removed inside lists, too, but not
 * inside one that takes the place of an object. Throws DepthFailure.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new DepthFailure();
  if (!isJsonObject(patch)) return withoutNulls(patch, depth);
  const merged: JsonObject = {};
  const before = isJsonObject(target) ? target : {};
  for (const name of Object.keys(before)) if (memberOf(patch, name) === undefined) setMember(merged, name, before[name]);
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value !== null && value !== undefined) setMember(merged, name, mergeMember(memberOf(before, name), value, depth + 1));
  }
  return merged;
}

const mergeMember = (target: unknown, patch: unknown, depth: number): unknown =>
  Array.isArray(patch) && isJsonObject(target) ? copyJson(patch, depth) : mergePatch(target, patch, depth);

/** A copy without members that are null; list items that are null are kept. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new DepthFailure();
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) if (value[name] !== null) setMember(kept, name, withoutNulls(value[name], depth + 1));
  return kept;
}

/**
 * Applies a merge patch to a whole object. A patch that is a list replaces the object, and the result is then not an object.
 * Throws ApiError BadRequest when the patch is neither an object nor a list, or nested too deeply.
 * @spec 4.9
 */
export function mergePatchObject(object: object, patch: unknown): unknown {
  if (!isJsonObject(patch) && !Array.isArray(patch)) throw badRequest('a merge patch must be a JSON object');
  try {
    return mergePatch(object, patch);
  } catch (error) {
    throw error instanceof DepthFailure ? badRequest(error.message) : error;
  }
}
