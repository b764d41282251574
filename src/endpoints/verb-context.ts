import type { Negotiated } from '#codec';
import type { Registry } from '#registry';
import type { Identified, Reply } from '#request';
import type { Environment } from './environment.ts';
import type { Route } from './route.ts';

/** One request for a resource: its route, and the form of its response. */
export interface VerbContext {
  readonly request: Identified;
  readonly route: Route;
  readonly registry: Registry;
  readonly env: Environment;
  /** Format and representation of the answer, as negotiated. */
  readonly accepted: Negotiated;
}

/** What determines how objects and events are encoded: all that a watch keeps of its request. */
export type Representation = Pick<VerbContext, 'accepted' | 'env' | 'route'>;

/** Handles one verb for every resource, or one action. Throws `ApiError`. */
export type VerbHandler = (context: VerbContext) => Promise<Reply>;
