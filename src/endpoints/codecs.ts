import type { Brand } from '#api';
import { createJsonCodec, createProtobufCodec, createYamlCodec, type Codec } from '#codec';

/** The formats this server speaks. */
export interface Codecs {
  readonly json: Codec;
  readonly yaml: Codec;
  readonly protobuf: Codec;
}

export const createCodecs = (brand: Brand): Codecs => ({
  json: createJsonCodec(),
  yaml: createYamlCodec(),
  protobuf: createProtobufCodec(brand),
});
