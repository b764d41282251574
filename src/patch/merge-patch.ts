import { isJsonObject, type JsonObject, memberOf, setMember } from '#base';
import { badRequest } from '#errors';
import { copyJson, DepthFailure, MAX_DEPTH } from './json-value.ts';

/**
 * RFC 7386: members of the patch replace those of the target, null removes them, lists are replaced whole. Neither argument is changed;
 * the result shares with the target what the patch does not touch. Throws DepthFailure.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new DepthFailure();
  if (!isJsonObject(patch)) return copyJson(patch);
  const merged: JsonObject = {};
  const before = isJsonObject(target) ? target : {};
  for (const name of Object.keys(before)) if (memberOf(patch, name) === undefined) setMember(merged, name, before[name]);
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value !== null && value !== undefined) setMember(merged, name, mergePatch(memberOf(before, name), value, depth + 1));
  }
  return merged;
}

/**
 * A merge patch of a whole object. Throws ApiError BadRequest when the patch is no object or nested too deeply.
 * @spec 4.9
 */
export function mergePatchObject(object: object, patch: unknown): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('a merge patch must be a JSON object');
  try {
    return mergePatch(object, patch) as JsonObject;
  } catch (error) {
    throw error instanceof DepthFailure ? badRequest(error.message) : error;
  }
}
