import { ApiError } from '#errors';

/** The 422 for a well-formed patch that cannot be applied. As in kube-apiserver, its message does not say why; `cause` is for the log. */
export const inapplicable = (cause: Error): ApiError => new ApiError('Invalid', 'the server rejected our request due to an error in our request', {}, { cause });
