import { createHttpClient, type Connection } from '#transport';

interface Fetch {
  /** PEM of the authorities that vouch for the other side. Default: those that come with the platform. */
  readonly authority: string | undefined;
  /** What kind of answer is asked for. */
  readonly accept: string;
  /** Sent to this address only. */
  readonly bearerToken?: string | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What stands at an https address. Follows no redirect. Throws an `Error` that names the place, and never the token or a query. */
export async function fetchText(address: string, { authority, accept, bearerToken }: Fetch): Promise<string> {
  const { protocol, origin, pathname, search } = new URL(address);
  if (protocol !== 'https:') throw new Error(`${origin} is not https`);
  const connection: Connection = { server: origin, isVerified: true, namespace: '', ...(authority === undefined ? {} : { authority }) };
  const http = createHttpClient(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, silenceMs: TIMEOUT_MS });
  try {
    const headers = { accept, ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }) };
    const { status, body } = await http.request({ method: 'GET', path: pathname + search, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status !== 200) throw new Error(`${origin}${pathname} answered with status ${status}`);
    return new TextDecoder().decode(body);
  } finally {
    http.close();
  }
}
