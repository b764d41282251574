import type { Brand } from '#api';
import { createJsonCodec, createProtobufCodec, createYamlCodec, type Codec } from '#codec';

/** The formats this server speaks. */
export interface Codecs {
  readonly json: Codec;
  readonly yaml: Codec;
  readonly protobuf: Codec;
}

/** Creates the codecs of a dialect; called once per server. */
export function createCodecs(brand: Brand): Codecs {
  const json = createJsonCodec();
  return { json, yaml: createYamlCodec(json), protobuf: createProtobufCodec(brand) };
}
