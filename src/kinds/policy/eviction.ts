import { DeleteOptions } from '#api';
import { t } from '#schema';

/** What the `eviction` subresource of pods carries. */
export class Eviction extends t.message('policy/v1.Eviction', { deleteOptions: t.perhaps(2, DeleteOptions) }) {}
