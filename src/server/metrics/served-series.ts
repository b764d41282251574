import type { Catalog } from '#api';
import { STAND_INS, type Metrics } from '#http';

/** The labels that name what a series is about. */
const NAMINGS = [
  ['group', 'version', 'resource'],
  ['group', 'version', 'kind'],
] as const;

/**
 * Forgets the series of resources that are served no more, at the first scrape after that: each definition that has come and gone would leave more than
 * a hundred lines in every scrape, until later ones are counted as `other`. `onForget` is called before; series that are bound then count on unseen.
 * @spec 6
 */
export function showServedOnly(metrics: Metrics, catalog: Catalog, onForget: () => void): void {
  whenServedChanged(metrics, catalog, () => {
    onForget();
    const served = namesOf(catalog);
    for (const family of metrics.families) {
      const { labels } = family.facts;
      const naming = NAMINGS.find((words) => words.every((label) => labels.includes(label)))?.map((label) => labels.indexOf(label));
      if (naming === undefined) continue;
      family.retain((values) => {
        const words = naming.map((at) => values[at] ?? '');
        return served.has(nameOf(words)) || words.some((word) => STAND_INS.has(word)) || words.at(-1) === '';
      });
    }
  });
}

/** Calls `run` at each scrape before which the served resources have changed. */
export function whenServedChanged(metrics: Metrics, catalog: Catalog, run: () => void): void {
  let known = catalog.resources;
  metrics.collect(() => {
    if (catalog.resources === known) return;
    known = catalog.resources;
    run();
  });
}

/** The served resources and their kinds, in each version. */
const namesOf = ({ resources }: Catalog): ReadonlySet<string> =>
  new Set(resources.flatMap(({ group, plural, kind, versions }) => versions.flatMap(({ version }) => [plural, kind.kind].map((name) => nameOf([group, version, name])))));

const nameOf = (words: readonly string[]): string => words.join('/');
