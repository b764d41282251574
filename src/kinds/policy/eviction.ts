import { DeleteOptions } from '#api';
import { t } from '#schema';

/** The body of the `eviction` subresource of pods. */
export class Eviction extends t.message('policy/v1.Eviction', { deleteOptions: t.perhaps(2, DeleteOptions) }) {}
