import { t } from '#schema';

export class ContainerPort extends t.message('core/v1.ContainerPort', {
  name: t.string(1),
  hostPort: t.int32(2),
  containerPort: t.int32(3).required(),
  protocol: t.string(4).default('TCP'),
  hostIP: t.string(5),
}) {}
