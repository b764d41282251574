/** Bits of the extension keyUsage, as RFC 5280 section 4.2.1.3 numbers them from the left; the values are those of the library. */
const BIT = {
  digitalSignature: 1,
  nonRepudiation: 2,
  keyEncipherment: 4,
  dataEncipherment: 8,
  keyAgreement: 16,
  keyCertSign: 32,
  cRLSign: 64,
  encipherOnly: 128,
  decipherOnly: 256,
} as const;

const PKIX = '1.3.6.1.5.5.7.3';

/** What each word in `spec.usages` means: a bit of keyUsage, or a purpose of extKeyUsage. */
export const KEY_USAGES: Readonly<Record<string, number | string>> = {
  signing: BIT.digitalSignature,
  'digital signature': BIT.digitalSignature,
  'content commitment': BIT.nonRepudiation,
  'key encipherment': BIT.keyEncipherment,
  'key agreement': BIT.keyAgreement,
  'data encipherment': BIT.dataEncipherment,
  'cert sign': BIT.keyCertSign,
  'crl sign': BIT.cRLSign,
  'encipher only': BIT.encipherOnly,
  'decipher only': BIT.decipherOnly,
  any: '2.5.29.37.0',
  'server auth': `${PKIX}.1`,
  'client auth': `${PKIX}.2`,
  'code signing': `${PKIX}.3`,
  'email protection': `${PKIX}.4`,
  's/mime': `${PKIX}.4`,
  'ipsec end system': `${PKIX}.5`,
  'ipsec tunnel': `${PKIX}.6`,
  'ipsec user': `${PKIX}.7`,
  timestamping: `${PKIX}.8`,
  'ocsp signing': `${PKIX}.9`,
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};
