import { t, type MessageClass } from '#schema';

export interface AutoscalerCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

/** The message of one API version. */
export const autoscalerCondition = (version: string): MessageClass<AutoscalerCondition> =>
  t.message(`autoscaling/${version}.HorizontalPodAutoscalerCondition`, {
    type: t.string(1).required(),
    status: t.string(2).required(),
    lastTransitionTime: t.time(3),
    reason: t.string(4),
    message: t.string(5),
  });
