import { t } from '#schema';

export class HostPathVolumeSource extends t.message('core/v1.HostPathVolumeSource', {
  path: t.string(1).required(),
  type: t.maybe.string(2).default(''),
}) {}

export class EmptyDirVolumeSource extends t.message('core/v1.EmptyDirVolumeSource', {
  medium: t.string(1),
  sizeLimit: t.maybe.quantity(2),
}) {}

export class GitRepoVolumeSource extends t.message('core/v1.GitRepoVolumeSource', {
  repository: t.string(1).required(),
  revision: t.string(2),
  directory: t.string(3),
}) {}
