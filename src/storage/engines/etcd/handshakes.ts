import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from '#base';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { HANDSHAKE_MS } from './limits.ts';

/**
 * The same credentials, with a time limit (`HANDSHAKE_MS`) from the TCP connection until it carries calls. gRPC waits without limit for the peer's part
 * of the TLS and HTTP/2 handshakes and opens no second connection meanwhile: if the network stalled right after the TCP handshake, the member would
 * never be reached again. `isReady` tells whether the connection carries calls.
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
