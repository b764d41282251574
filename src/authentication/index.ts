export { anonymous } from './methods/anonymous.ts';
export { clientCertificate } from './methods/client-certificate.ts';
export { staticToken } from './methods/static-token.ts';
export { authenticationStage } from './stage.ts';
