/**
 * Somebody whom this program asked did not answer, or answered nonsense: no fault of this program. The message says everything that whoever runs it
 * can act on; the place in the code says nothing.
 */
export class OutsideFailure extends Error {}
