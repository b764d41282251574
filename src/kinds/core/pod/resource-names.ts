import { checkQualifiedName, type Brand, type Faults } from '#api';
import { parseQuantity, roundUpQuantityText } from '#schema';

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Resources that count objects: their amounts are integers. */
const COUNTED_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  ...[...CONTAINER_RESOURCES].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...COUNTED_RESOURCES,
  'storage',
  'requests.storage',
]);
const HUGE_PAGES = 'hugepages-';

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);

/** Whether a resource is defined by Kubernetes itself and not by a device plugin. */
const isNativeResource = (name: string, brand: Brand): boolean => !name.includes('/') || name.includes(`${brand.names.domain}/`);

/** Whether a resource is an extended one, as device plugins offer them. */
export function isExtendedResource(name: string, brand: Brand): boolean {
  if (isNativeResource(name, brand) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`) === undefined;
}

/** Whether amounts of the resource must be integers. */
export const isWholeResource = (name: string, brand: Brand): boolean => COUNTED_RESOURCES.has(name) || isExtendedResource(name, brand);

/** Whether limits of the resource may exceed requests. */
export const canOvercommit = (name: string, brand: Brand): boolean => isNativeResource(name, brand) && !isHugePages(name);

/** Checks a resource name: a standard one, or one with a domain. */
export function checkResourceName(name: string): Faults {
  const faults = checkQualifiedName(name);
  if (faults !== undefined || name.includes('/') || STANDARD_RESOURCES.has(name) || isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`)) return faults;
  return ['must be a standard resource type or fully qualified'];
}

/** Checks the name of a resource that a container can request. */
export function checkContainerResourceName(name: string, brand: Brand): Faults {
  const faults = checkResourceName(name) ?? [];
  if (!name.includes('/')) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name)) return [...faults, 'must be a standard resource for containers'];
  } else if (!isNativeResource(name, brand) && !isExtendedResource(name, brand)) {
    return [...faults, "doesn't follow extended resource name standard"];
  }
  return faults.length === 0 ? undefined : faults;
}

/** Whether an amount of huge pages, rounded up to whole bytes, is a multiple of the page size in the name. */
export function isWholePages(name: string, amount: string): boolean {
  const page = wholeNumber(name.slice(HUGE_PAGES.length));
  const total = wholeNumber(roundUpQuantityText(amount, 0));
  return page !== undefined && page > 0n && total !== undefined && total % page === 0n;
}

/** An amount as an integer; undefined: it is fractional or malformed. */
export function wholeNumber(amount: string): bigint | undefined {
  const quantity = parseQuantity(amount);
  if (quantity === undefined || quantity.exponent > 1_000) return undefined;
  if (quantity.exponent >= 0) return quantity.mantissa * 10n ** BigInt(quantity.exponent);
  const unit = 10n ** BigInt(-quantity.exponent);
  return quantity.mantissa % unit === 0n ? quantity.mantissa / unit : undefined;
}
