import { inRandomOrder } from '#base';
import type { ApiObject, ObjectAccess } from '#api';

/** The address to connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** In the order in which they are tried. */
export type Addresses = readonly [Address, ...Address[]];

type Service = ApiObject & {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[] | null;
  };
};

type Endpoints = ApiObject & {
  readonly subsets?: readonly Subset[] | null;
};

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[] | null;
  readonly ports?: readonly { readonly name?: string; readonly port: number }[] | null;
}

/**
 * The addresses of a service: its ready endpoints in random order where it has any, else its cluster IP; of an ExternalName service, that name. Throws
 * an `Error` that says why the service cannot be reached.
 */
export async function findService(objects: ObjectAccess, namespace: string, name: string, port: number): Promise<Addresses> {
  const key = { namespace, name };
  const service = (await objects.get({ group: '', kind: 'Service' }, key)) as Service | undefined;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type, clusterIP, externalName, ports } = service.spec ?? {};
  if (type === 'ExternalName') return [{ host: externalName ?? '', port }];
  const found = (ports ?? []).find((one) => one.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const endpoints = (await objects.get({ group: '', kind: 'Endpoints' }, key)) as Endpoints | undefined;
  const ready = (endpoints?.subsets ?? []).flatMap((subset) => addressesOf(subset, found.name ?? ''));
  const [first, ...others] = inRandomOrder(ready);
  if (first !== undefined) return [first, ...others];
  if (endpoints !== undefined && (endpoints.subsets ?? []).length > 0) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None') throw new Error(`service ${JSON.stringify(name)} has neither endpoints nor a cluster IP`);
  return [{ host: clusterIP, port }];
}

function addressesOf({ addresses, ports }: Subset, portName: string): readonly Address[] {
  const port = (ports ?? []).find((one) => (one.name ?? '') === portName)?.port;
  return port === undefined ? [] : (addresses ?? []).map(({ ip }) => ({ host: ip, port }));
}
