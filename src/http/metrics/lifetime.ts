/** Releases for which a deprecated metric is still shown; then it is hidden, and can be enabled again for one release. */
const SHOWN_RELEASES = 3;

/** Whether `release` (as `1.23`) no longer shows a metric that was deprecated in `deprecatedSince` (as `1.20.0`). @spec 9 */
export const isHidden = (deprecatedSince: string, release: string): boolean => minorOf(release) - minorOf(deprecatedSince) >= SHOWN_RELEASES;

/** The help text of a deprecated metric. @spec 9 */
export const deprecatedHelp = (deprecatedSince: string, help: string): string => `(Deprecated since ${deprecatedSince}) ${help}`;

const minorOf = (release: string): number => Number(release.split('.')[1]);
