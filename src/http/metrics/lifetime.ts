/** So many releases a metric is shown after the one that called it deprecated; then it is hidden, and can be brought back for one release. */
const SHOWN_RELEASES = 3;

/** Whether a release, as `1.23`, shows a metric no more that was deprecated in another, as `1.20.0`. @spec 9 */
export const isHidden = (deprecatedSince: string, release: string): boolean => minorOf(release) - minorOf(deprecatedSince) >= SHOWN_RELEASES;

/** What stands before the text of a metric that will go. @spec 9 */
export const deprecatedHelp = (deprecatedSince: string, help: string): string => `(Deprecated since ${deprecatedSince}) ${help}`;

const minorOf = (release: string): number => Number(release.split('.')[1]);
