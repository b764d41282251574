import { memberOf } from '#base';
import { configurationFault, requireKind } from '../configuration-kind.ts';

const SETTINGS = { kind: 'WebhookAdmissionConfiguration', group: 'apiserver.config', version: 'v1' };
/** Before v1 the kind had another name. */
const EARLIER = { kind: 'WebhookAdmission', group: 'apiserver.config', version: 'v1alpha1' };

/**
 * The kubeconfig file with the credentials for webhooks, from a WebhookAdmissionConfiguration; undefined where none is configured. Throws an `Error`
 * that names the plugin.
 * @spec 2.8
 */
export function kubeConfigFileOf(plugin: string, configuration: unknown): string | undefined {
  if (configuration === undefined || configuration === null) return undefined;
  const settings = requireKind(plugin, configuration, SETTINGS, EARLIER);
  const file = memberOf(settings, 'kubeConfigFile');
  if (file === undefined || file === null || file === '') return undefined;
  if (typeof file !== 'string') throw configurationFault(plugin, 'kubeConfigFile must be a text');
  return file;
}
