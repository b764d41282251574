export { nodeAuthorizer, type NodeAuthorizer } from './authorizer.ts';
