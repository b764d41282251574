import type { AdmissionChain } from '#admission';
import type { Clock } from '#base';
import type { Catalog } from '#api';
import type { ConnectSettings } from './actions/connect-settings.ts';
import type { Codecs } from './codecs.ts';
import type { Component } from './component.ts';
import type { Registries } from '#registry';
import type { Authorizer, ReviewToken, TokenIssuer } from '#request';

/** The services that every verb uses; created once by the server. */
export interface Environment {
  readonly catalog: Catalog;
  readonly registries: Registries;
  readonly admission: AdmissionChain;
  /** The authorizer of every request; access reviews query it too. */
  readonly authorizer: Authorizer;
  /** Issues tokens of service accounts, and authenticates tokens for token reviews. */
  readonly tokens: { readonly issuer: TokenIssuer; readonly review: ReviewToken };
  readonly codecs: Codecs;
  readonly clock: Clock;
  readonly limits: RequestLimits;
  readonly connecting: ConnectSettings;
  /** What ComponentStatus lists. */
  readonly components: readonly Component[];
  /** Learns of a resource that another server has added just now. Does not reject. Absent: there is no other server. */
  readonly hearOf?: (group: string, resource: string) => Promise<void>;
}

/** Bounds on what a request to a resource may cost. */
export interface RequestLimits {
  readonly maxBodyBytes: number;
  /** A watch without `timeoutSeconds` ends after this long, plus up to as much again, so that not all end at once. */
  readonly minWatchSeconds: number;
  /** A watch is ended when more bytes than this are queued for its client. */
  readonly maxWatchBufferBytes: number;
}
