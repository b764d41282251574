import { t } from '#schema';
import { ContainerPort } from './container-port.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { fillPullPolicy } from './image-name.ts';
import { Lifecycle } from './lifecycle.ts';
import { VolumeDevice, VolumeMount } from './mounts.ts';
import { Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './security-context.ts';

export class EphemeralContainerCommon extends t.message(
  'core/v1.EphemeralContainerCommon',
  {
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
  },
  { defaults: fillPullPolicy },
) {}

export class EphemeralContainer extends t.message('core/v1.EphemeralContainer', {
  ephemeralContainerCommon: t.inline(1, EphemeralContainerCommon),
  targetContainerName: t.string(2),
}) {}
