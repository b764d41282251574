import { t } from '#schema';
import { containerFields } from './container.ts';
import { fillPullPolicy } from './image-name.ts';

export class EphemeralContainerCommon extends t.message('core/v1.EphemeralContainerCommon', containerFields, { defaults: fillPullPolicy }) {}

export class EphemeralContainer extends t.message('core/v1.EphemeralContainer', {
  ephemeralContainerCommon: t.inline(1, EphemeralContainerCommon),
  targetContainerName: t.string(2),
}) {}
