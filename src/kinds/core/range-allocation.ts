import { t } from '#schema';

/** What services have allocated of a range, as Kubernetes stores it. No resource serves it. */
export class RangeAllocationBody extends t.message('core/v1.RangeAllocation', { range: t.string(2), data: t.bytes(3) }) {}
