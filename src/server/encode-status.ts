import type { Brand } from '#api';
import { pretty } from '#base';
import { indented, negotiateError } from '#codec';
import type { Codecs } from '#endpoints';
import type { EncodeStatus } from '#http';
import { wantsPretty } from '#request';

/** Encodes error responses in the accepted media type, JSON where that cannot encode a Status. */
export function encodeStatus(codecs: Codecs, brand: Brand): EncodeStatus {
  return (status, request) => {
    const negotiated = negotiateError(request.headers.get('accept')?.[0], brand) ?? { codec: 'json', pretty: true };
    const shown = indented(negotiated, wantsPretty(request));
    const codec = codecs[shown.codec];
    const body = codec.encodeStatus(status);
    return { contentType: codec.mediaType, body: shown.codec === 'json' && shown.pretty === true ? pretty(body) : body };
  };
}
