import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from '#base';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { HANDSHAKE_MS } from './limits.ts';

/**
 * The same credentials, and a bound on the time from a TCP connection to one that carries calls. gRPC waits without end for the answer to a
 * handshake, of TLS as of HTTP/2, and makes no second connection meanwhile: a member behind a network that let just the connection
 * through would never be reached again. `isReady` tells whether the connection carries calls by then.
 */
export function boundHandshakes(trust: ChannelCredentials, isReady: () => boolean): ChannelCredentials {
  const createConnector = trust._createSecureConnector.bind(trust);
  trust._createSecureConnector = (...options) => {
    const connector = createConnector(...options);
    return {
      connect: (socket) => {
        bound(socket, isReady);
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  };
  return trust;
}

function bound(socket: Socket, isReady: () => boolean): void {
  const limit = setTimeout(() => {
    if (!isReady()) socket.destroy();
  }, HANDSHAKE_MS).unref();
  socket.once('close', () => clearTimeout(limit));
}
