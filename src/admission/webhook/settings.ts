import { isJsonObject, memberOf } from '#base';
import { versionInAnyDialect } from '#api';

/** Accepted values of `apiVersion`. */
const VERSIONS: readonly unknown[] = versionInAnyDialect('apiserver.config', 'v1');
/** Accepted values from before v1, when the kind had another name. */
const EARLIER: readonly unknown[] = versionInAnyDialect('apiserver.config', 'v1alpha1');

/**
 * The kubeconfig file with the credentials for webhooks, from a WebhookAdmissionConfiguration; undefined where none is configured. Throws an `Error`
 * that names the plugin.
 * @spec 2.8
 */
export function kubeConfigFileOf(plugin: string, configuration: unknown): string | undefined {
  if (configuration === undefined || configuration === null) return undefined;
  const wrong = (why: string): Error => new Error(`configuration of the admission plugin ${plugin}: ${why}`);
  if (!isJsonObject(configuration)) throw wrong('must be a map');
  const [apiVersion, kind] = [memberOf(configuration, 'apiVersion'), memberOf(configuration, 'kind')];
  const isKnown = (kind === 'WebhookAdmissionConfiguration' && VERSIONS.includes(apiVersion)) || (kind === 'WebhookAdmission' && EARLIER.includes(apiVersion));
  if (!isKnown) throw wrong(`must be a WebhookAdmissionConfiguration of ${VERSIONS.join(' or ')}`);
  const file = memberOf(configuration, 'kubeConfigFile');
  if (file === undefined || file === null || file === '') return undefined;
  if (typeof file !== 'string') throw wrong('kubeConfigFile must be a text');
  return file;
}
