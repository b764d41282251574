/** Whom to call and as whom. Made from a kubeconfig; texts are PEM. */
export interface Connection {
  /** Base address; may have a path. */
  readonly server: string;
  /** Whom to trust. Absent: the authorities that come with the platform. */
  readonly authority?: string;
  /** The name in the server's certificate, where it is not that of the address. */
  readonly serverName?: string;
  readonly isVerified: boolean;
  readonly clientCertificate?: ClientCertificate;
  /** Asked before every call, so that a token that is exchanged on disk is noticed. */
  readonly token?: () => Promise<string>;
  /** Namespace of what does not name one. */
  readonly namespace: string;
}

/** A certificate and its key, as PEM texts. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  /** Asked before every call: the certificate as it is now, where it stands in files that are exchanged before it ends. */
  readonly current?: () => Promise<ClientCertificate>;
}
