import { t } from '#schema';
import { ContainerPort } from './container-port.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { fillPullPolicy } from './image-name.ts';
import { Lifecycle } from './lifecycle.ts';
import { VolumeDevice, VolumeMount } from './mounts.ts';
import { Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './security-context.ts';

/** The members of a container; an ephemeral one has the same. */
export const containerFields = {
  name: t.string(1).required(),
  image: t.string(2),
  command: t.strings(3),
  args: t.strings(4),
  workingDir: t.string(5),
  ports: t.many(6, ContainerPort, { map: ['containerPort', 'protocol'] }).mergeBy('containerPort'),
  envFrom: t.many(19, EnvFromSource),
  env: t.many(7, EnvVar).mergeBy('name'),
  resources: t.one(8, ResourceRequirements),
  volumeMounts: t.many(9, VolumeMount).mergeBy('mountPath'),
  volumeDevices: t.many(21, VolumeDevice).mergeBy('devicePath'),
  livenessProbe: t.perhaps(10, Probe),
  readinessProbe: t.perhaps(11, Probe),
  startupProbe: t.perhaps(22, Probe),
  lifecycle: t.perhaps(12, Lifecycle),
  terminationMessagePath: t.string(13).default('/dev/termination-log'),
  terminationMessagePolicy: t.string(20).default('File'),
  imagePullPolicy: t.string(14),
  securityContext: t.perhaps(15, SecurityContext),
  stdin: t.bool(16),
  stdinOnce: t.bool(17),
  tty: t.bool(18),
};

export class Container extends t.message('core/v1.Container', containerFields, { defaults: fillPullPolicy }) {}
