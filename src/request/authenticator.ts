import type { Received } from './context.ts';
import type { User } from './user.ts';

export interface Identity {
  readonly user: User;
  readonly audiences?: readonly string[];
}

/** undefined: these credentials are not mine. Throw `Unauthorized`: they are mine and they are bad. */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Received): Promise<Identity | undefined>;
}
