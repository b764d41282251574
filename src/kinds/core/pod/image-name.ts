/** Names of container images, as far as the API looks into them. */

const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `${DOMAIN_PART}(?:\\.${DOMAIN_PART})*(?::[0-9]+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
/** Of the algorithms that images are identified by. */
const DIGEST = 'sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}';
const REFERENCE = new RegExp(`^((?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);

/** Limits, in characters, for the full name and for the whole reference. */
const MAX_NAME = 255;
const MAX_TEXT = 1_024;

/** The tag of an image, `latest` when neither tag nor digest is given, '' when there is only a digest or the text names no image. */
export function tagOf(image: string): string {
  if (image.length > MAX_TEXT || /^[a-f0-9]{64}$/.test(image)) return '';
  const [, name = '', tag = '', digest = ''] = REFERENCE.exec(image) ?? [];
  if (name === '' || fullName(name).length > MAX_NAME) return '';
  if (!HOSTED.test(name) && name !== name.toLowerCase()) return '';
  return tag === '' && digest === '' ? 'latest' : tag;
}

/** A name with the host of a registry before its first slash: only that may have capital letters. */
const HOSTED = /^(?:[^/]*[.:][^/]*|localhost)\//;

/** The name with the default registry, Docker Hub, where it has no host; the limit on length applies to that. */
function fullName(name: string): string {
  if (HOSTED.test(name)) return name;
  return name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`;
}

/** Defaults the pull policy: an image with the tag `latest` is pulled every time. */
export function fillPullPolicy(container: { image?: string; imagePullPolicy?: string }): void {
  container.imagePullPolicy ??= tagOf(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
}
