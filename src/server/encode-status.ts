import type { Brand } from '#api';
import { indented, negotiateError, pretty } from '#codec';
import type { Codecs } from '#endpoints';
import type { EncodeStatus } from '#http';
import { wantsPretty } from '#request';

/** Failures in the form the caller asked for, JSON for people where that cannot be. */
export function encodeStatus(codecs: Codecs, brand: Brand): EncodeStatus {
  return (status, request) => {
    const negotiated = negotiateError(request.headers.get('accept')?.[0], brand) ?? { codec: 'json', pretty: true };
    const shown = indented(negotiated, wantsPretty(request));
    const codec = codecs[shown.codec];
    const body = codec.encodeStatus(status);
    return { contentType: codec.mediaType, body: shown.codec === 'json' && shown.pretty === true ? pretty(body) : body };
  };
}
