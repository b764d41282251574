/** A server and the credentials for it, as in a kubeconfig; certificates and keys are PEM texts. */
export interface Connection {
  /** Base address; may have a path. */
  readonly server: string;
  /** The CA bundle. Absent: the platform's authorities. */
  readonly authority?: string;
  /** The name in the server's certificate, where it differs from the address. */
  readonly serverName?: string;
  readonly isVerified: boolean;
  readonly clientCertificate?: ClientCertificate;
  /** Called before every request, so that a token replaced on disk is used. */
  readonly token?: () => Promise<string>;
  /** The default namespace. */
  readonly namespace: string;
}

/** A certificate and its key, as PEM texts. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  /** Called before every request: returns the current certificate, where its files are replaced before it expires. */
  readonly current?: () => Promise<ClientCertificate>;
}
