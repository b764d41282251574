import { clearTimeout, setTimeout } from '#base';
import { Client, connectivityState, type ClientOptions } from '@grpc/grpc-js';
import { boundHandshakes } from './handshakes.ts';
import { CONNECT_MS, KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, RETRY_MS, STUCK_MS } from './limits.ts';
import type { Trust } from './trust.ts';

const OPTIONS: ClientOptions = {
  'grpc.keepalive_time_ms': KEEPALIVE_MS,
  'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
  'grpc.initial_reconnect_backoff_ms': RETRY_MS,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Connections to the store ignore the environment variables that set a proxy.
  'grpc.enable_http_proxy': 0,
  // Nor do they ask the DNS for settings: a policy found there could have a write sent twice.
  'grpc.service_config_disable_resolution': 1,
  // The address behind a name may be an old one for a moment after its member has moved.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Otherwise engines of one process would share connections, and with them the time limits of their handshakes.
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * The client of one member. One that has been connecting for long is replaced: gRPC sets no limit to a TCP handshake, in which the system tries again
 * after ever longer times, up to a minute, and would notice so much later that the network carries again.
 */
export class Member {
  readonly address: string;
  readonly #trust: () => Trust;
  readonly #stuckMs: number;
  #client: Client;
  /** Since when it is known to be connecting, by `performance.now`; undefined: it is not. */
  #connectingMs: number | undefined;
  /** Until when it counts as silent, by `performance.now`. */
  #silentUntilMs = 0;
  #closed = false;

  /** `address`: `host:port`. `trust` makes new ones for each client. `stuckMs`: how long a client may be connecting. */
  constructor(address: string, trust: () => Trust, stuckMs = STUCK_MS) {
    this.address = address;
    this.#trust = trust;
    this.#stuckMs = stuckMs;
    this.#client = this.#open();
  }

  /** The one of now, for one call. */
  get client(): Client {
    return this.#client;
  }

  /** Whether calls can be sent at once. If not, it begins to connect. */
  get isReady(): boolean {
    return stateOf(this.#client) === connectivityState.READY;
  }

  /** Whether the last attempt to connect has failed, as where nothing listens. It is tried again and again. */
  get isRefused(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.TRANSIENT_FAILURE;
  }

  /** Whether it did not answer a call in time just now. For as long as others may take to connect, they come first. */
  get isSilent(): boolean {
    return performance.now() < this.#silentUntilMs;
  }

  /** It did not answer a call in time. */
  wasSilent(): void {
    this.#silentUntilMs = performance.now() + CONNECT_MS;
  }

  /**
   * Resolves when the connection is ready. `untilRefused`: rejects once an attempt to connect has failed. A timer keeps the process alive meanwhile, as a
   * call is waiting; gRPC's own wait does not.
   */
  async becomesReady(withinMs: number, untilRefused = false): Promise<void> {
    const client = this.#client;
    const deadlineMs = Date.now() + Math.max(1, withinMs);
    const alive = setTimeout(() => {}, withinMs + RETRY_MS);
    try {
      for (let state = stateOf(client); state !== connectivityState.READY; state = stateOf(client)) {
        if (state === connectivityState.SHUTDOWN || (untilRefused && state === connectivityState.TRANSIENT_FAILURE)) throw new Error(`${this.address} takes no connection`);
        await changeOf(client, state, deadlineMs);
      }
      this.#connectingMs = undefined;
    } catch (error) {
      if (client === this.#client) this.#replaceIfStuck();
      throw error;
    } finally {
      clearTimeout(alive);
    }
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  #replaceIfStuck(): void {
    if (this.#closed) return;
    const isConnecting = this.#client.getChannel().getConnectivityState(false) === connectivityState.CONNECTING;
    const sinceMs = isConnecting ? (this.#connectingMs ?? performance.now()) : undefined;
    this.#connectingMs = sinceMs;
    if (sinceMs === undefined || performance.now() - sinceMs < this.#stuckMs) return;
    this.#connectingMs = undefined;
    this.#client.close();
    this.#client = this.#open();
  }

  #open(): Client {
    const { credentials, options } = this.#trust();
    const isReady = (): boolean => client.getChannel().getConnectivityState(false) === connectivityState.READY;
    const client: Client = new Client(this.address, boundHandshakes(credentials, isReady), { ...OPTIONS, ...options });
    return client;
  }
}

/** If there is no connection, it begins to connect. */
const stateOf = (client: Client): connectivityState => client.getChannel().getConnectivityState(true);

/** Rejects at the deadline, a time of `Date.now`. */
function changeOf(client: Client, from: connectivityState, deadlineMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    client.getChannel().watchConnectivityState(from, deadlineMs, (late) => {
      if (late === undefined) resolve();
      else reject(late);
    });
  });
}
