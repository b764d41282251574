import type { AdmissionChain } from '#admission';
import type { Clock } from '#base';
import type { Catalog } from '#api';
import type { ConnectSettings } from './actions/connect-settings.ts';
import type { Codecs } from './codecs.ts';
import type { Component } from './component.ts';
import type { Registries } from '#registry';
import type { Authorizer, ReviewToken, TokenIssuer } from '#request';

/** What every verb works with; made once by the server. */
export interface Environment {
  readonly catalog: Catalog;
  readonly registries: Registries;
  readonly admission: AdmissionChain;
  /** The one that every request is asked of; reviews ask it too. */
  readonly authorizer: Authorizer;
  /** Makes tokens of service accounts, and knows whose a token is. */
  readonly tokens: { readonly issuer: TokenIssuer; readonly review: ReviewToken };
  readonly codecs: Codecs;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly connecting: ConnectSettings;
  /** Parts of the system that ComponentStatus tells about. */
  readonly components: readonly Component[];
}

/** Bounds on what a request to a resource may cost. */
export interface Limits {
  readonly maxBodyBytes: number;
  /** A watch without `timeoutSeconds` ends after this long, plus up to as much again, so that not all end at once. */
  readonly minWatchSeconds: number;
  /** A watcher that has this much waiting is ended. */
  readonly maxWatchBufferBytes: number;
}
