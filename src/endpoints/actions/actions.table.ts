import type { VerbHandler } from '../verb-context.ts';
import { accessReview } from './access-review.ts';
import { binding } from './binding.ts';
import { componentStatus } from './component-status.ts';
import { eviction } from './eviction.ts';
import { rulesReview } from './rules-review.ts';
import { scale } from './scale.ts';
import { tokenRequest } from './token-request.ts';
import { tokenReview } from './token-review.ts';

/**
 * The actions of imperative subresources, and of kinds that are not stored, by the name in the kind's declaration. A handler serves every verb the
 * declaration names; `context.route.verb` says which one it is.
 */
export const ACTIONS: ReadonlyMap<string, VerbHandler> = new Map(
  Object.entries({
    'access-review': accessReview,
    binding,
    'component-status': componentStatus,
    eviction,
    'rules-review': rulesReview,
    scale,
    'token-request': tokenRequest,
    'token-review': tokenReview,
  }),
);
