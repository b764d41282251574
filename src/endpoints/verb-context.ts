import type { Negotiated } from '#codec';
import type { Registry } from '#registry';
import type { Identified, Reply } from '#request';
import type { Environment } from './environment.ts';
import type { Route } from './route.ts';

/** One resource request, understood. */
export interface VerbContext {
  readonly request: Identified;
  readonly route: Route;
  readonly registry: Registry;
  readonly env: Environment;
  /** What the answer looks like. */
  readonly accepted: Negotiated;
}

/** What objects and events are written with: all that a watch needs once it has begun. */
export type Shown = Pick<VerbContext, 'accepted' | 'env' | 'route'>;

/** Does what one verb means for every resource, or what one action means. Throws `ApiError`. */
export type VerbHandler = (context: VerbContext) => Promise<Reply>;
