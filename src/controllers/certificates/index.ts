export { approving } from './approving.ts';
export { cleaning } from './cleaning.ts';
export { startSigning } from './signing.ts';
