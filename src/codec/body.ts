import { isJsonObject, parseWholeFloats } from '#base';
import { badRequest, FieldErrors, goJsonType, goQuoted, internalError, invalid, type ApiError } from '#errors';
import { decode, DecodeFailure, decodeMerged, refuseFloats } from '#schema';
import { isApiVersion, parseApiVersion, type ApiObject } from '#api';
import type { Expected, OtherHead } from './codec.ts';

const MAX_SHOWN_BYTES = 30;

/** How the messages of kube-apiserver name its registry of kinds. */
const SCHEME = 'pkg/runtime/scheme.go:100';

/** The error for a body that is not in the format of its Content-Type; `why` says what is wrong with it. @spec 4.7 */
export function unrecognized(expected: Expected, why: string, bytes: Uint8Array): ApiError {
  if (isToldBare(expected)) return badRequest(why);
  return badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${showBytes(bytes)})`);
}

/** Whether an error says only what is wrong, not what the body had to be: nobody sent the result of a patch, and options are of every version. */
const isToldBare = ({ isOptions, isPatched }: Expected): boolean => isOptions === true || isPatched === true;

/** The start of a body, for an error message: text where it looks like JSON, else hexadecimal. */
function showBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const shown = Buffer.from(bytes.subarray(0, MAX_SHOWN_BYTES));
  const text = bytes[0] === 0x7b ? shown.toString('utf8') : shown.toString('hex');
  return bytes.length > MAX_SHOWN_BYTES ? `${text} ...` : text;
}

interface Said {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Decodes a parsed body into an object. null is an empty object. `apiVersion` and `kind` may be missing, unless `mustSayKind` is set; if present,
 * they must be the expected ones. Sets both in `body`; the type must have them. Throws `BadRequest`; for custom resources also `Invalid` or 500.
 */
export function decodeParsed(expected: Expected, body: unknown, bytes: Uint8Array): ApiObject {
  const source = body ?? {};
  if (!isJsonObject(source)) throw notAnObject(expected, source, bytes);
  const said = readSaid(expected, source, bytes);
  if (expected.otherHead === undefined) checkSaid(expected, said);
  // Set before decoding, which puts them in the order of the schema.
  source['kind'] = expected.kind;
  source['apiVersion'] = expected.apiVersion;
  const object = decoded(expected, said, source);
  if (expected.otherHead !== undefined) checkHead(expected, expected.otherHead, said, object);
  return object;
}

const decoded = (expected: Expected, said: Said, source: Record<string, unknown>): ApiObject =>
  unlessMisfit(expected, said, () => (expected.isMerged === true ? decodeMerged : decode)(expected.type, source) as unknown as ApiObject);

/**
 * Refuses a body of JSON that could be decoded, and writes an integer with a fraction, as `1.0`. Those of custom resources may do so. Throws
 * `BadRequest`.
 */
export function refuseWholeFloats(expected: Expected, bytes: Uint8Array): void {
  if (expected.type.open !== undefined) return;
  const marked = parseWholeFloats(bytes);
  if (marked !== undefined) unlessMisfit(expected, expected, () => refuseFloats(expected.type, marked));
}

function unlessMisfit<T>(expected: Expected, said: Said, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeFailure) throw cannotBeHandled(expected, said, error.wireText, error);
    throw error;
  }
}

function notAnObject(expected: Expected, source: unknown, bytes: Uint8Array): ApiError {
  return unreadable(expected, source, 'value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }', bytes);
}

const unreadable = (expected: Expected, value: unknown, place: string, bytes: Uint8Array): ApiError =>
  unrecognized(expected, `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonType(value)} into Go ${place}`, bytes);

/** The version and kind that the body names; the expected ones where it names none. */
function readSaid(expected: Expected, source: Record<string, unknown>, bytes: Uint8Array): Said {
  const { apiVersion, kind } = wordsIn(expected, source, bytes);
  if (!isApiVersion(apiVersion)) throw unrecognized(expected, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  return expected.mustSayKind === true ? readOwnSaid(expected, source) : { apiVersion: apiVersion || expected.apiVersion, kind: kind || expected.kind };
}

/** Those of an object that is kept as it was sent, under the names that it keeps. */
function readOwnSaid(expected: Expected, source: Record<string, unknown>): Said {
  const { apiVersion, kind } = source as Partial<Record<keyof Said, string | null>>;
  if (!kind) throw cannotBeHandled(expected, expected, `Object 'Kind' is missing in '${jsonPreview(source)}'`);
  if (!apiVersion) throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  return { apiVersion, kind };
}

/** Both are empty where the body does not say them; of several the last one counts. Throws for the first value that is not text. */
function wordsIn(expected: Expected, source: Record<string, unknown>, bytes: Uint8Array): Said {
  const said = { apiVersion: '', kind: '' };
  for (const member of Object.keys(source)) {
    const name = wordOf(expected, member);
    const value = source[member];
    if (name === undefined || value === null) continue;
    if (typeof value !== 'string') throw unreadable(expected, value, `struct field .${name} of type string`, bytes);
    said[name] = value;
  }
  return said;
}

/** Which of the two a member of an object is. As in kube-apiserver, case does not count in these two where the object was sent: `Kind` is `kind`. */
function wordOf({ isPatched }: Expected, member: string): keyof Said | undefined {
  const name = isPatched === true ? member : member.toLowerCase();
  if (name === 'kind') return 'kind';
  return name === (isPatched === true ? 'apiVersion' : 'apiversion') ? 'apiVersion' : undefined;
}

const jsonPreview = (source: Record<string, unknown>): string => (Object.keys(source).length === 0 ? '{}' : '{...}');

/** As in kube-apiserver, `/v1` is the same as `v1`. */
const plainVersion = (apiVersion: string): string => (apiVersion.startsWith('/') ? apiVersion.slice(1) : apiVersion);

function checkSaid(expected: Expected, said: Said): void {
  if (said.kind === expected.kind && plainVersion(said.apiVersion) === expected.apiVersion) return;
  if (said.kind === expected.kind) {
    if (expected.isOptions === true) return;
    if (expected.alsoAccepts?.includes(said.apiVersion) === true) return;
    if (expected.alsoAccepts === undefined && hasVersions(expected.apiVersion) && parseApiVersion(said.apiVersion).group === parseApiVersion(expected.apiVersion).group) {
      throw badRequest(
        `the API version in the data (${said.apiVersion}) does not match the expected API version (${expected.apiVersion})`,
      );
    }
  }
  const why = `no kind ${goQuoted(said.kind)} is registered for version ${goQuoted(said.apiVersion)} in scheme ${goQuoted(SCHEME)}`;
  throw cannotBeHandled(expected, said, why);
}

/** The checks for custom resources, which kube-apiserver decodes whatever their version and kind are, and checks afterwards. */
function checkHead({ kind, apiVersion }: Expected, other: OtherHead, said: Said, { metadata }: ApiObject): void {
  if (said.apiVersion !== apiVersion && other.apiVersion === 'refused') {
    throw badRequest(`the API version in the data (${said.apiVersion}) does not match the expected API version (${apiVersion})`);
  }
  const at = new FieldErrors();
  if (said.kind !== kind && other.kind === 'invalid') at.child('kind').invalid(said.kind, `must be ${kind}`);
  if (said.apiVersion !== apiVersion && other.apiVersion === 'invalid') at.child('apiVersion').invalid(said.apiVersion, `must be ${apiVersion}`);
  if (at.causes.length === 0) return;
  throw invalid({ group: parseApiVersion(said.apiVersion).group, kind: said.kind }, metadata.name ?? '', at.causes);
}

/** Whether the group can have several versions. The core group has only one; any other version of it is an unknown one. */
const hasVersions = (apiVersion: string): boolean => apiVersion.includes('/');

/** The error for a body that is well-formed, but cannot be decoded as the expected kind. */
export function cannotBeHandled(expected: Expected, said: Said, why: string, cause?: unknown): ApiError {
  if (isToldBare(expected)) return badRequest(why, cause);
  const { version } = parseApiVersion(said.apiVersion);
  return badRequest(`${said.kind} in version ${goQuoted(version)} cannot be handled as a ${expected.kind}: ${why}`, cause);
}
