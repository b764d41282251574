/**
 * Another program or server did not respond, or its response was invalid: not a fault of this program. The message has everything that the operator
 * needs to act; the stack has no useful information.
 */
export class OutsideFailure extends Error {}
