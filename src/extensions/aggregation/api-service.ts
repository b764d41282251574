import type { KindName } from '#api';
import type { APIService } from '#kinds';

export type ApiService = APIService;
export type Condition = NonNullable<ApiService['status']['conditions']>[number];
/** An APIService whose API another server serves. */
export type Elsewhere = ApiService & { readonly spec: { readonly service: NonNullable<ApiService['spec']['service']> } };

export const API_SERVICE: KindName = { group: 'apiregistration', kind: 'APIService' };

export const nameOf = ({ metadata }: ApiService): string => metadata.name ?? '';
export const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: '', name });

export const isElsewhere = (service: ApiService): service is Elsewhere => service.spec.service !== undefined && service.spec.service !== null;

export const availabilityOf = ({ status }: ApiService): Condition | undefined => status.conditions?.find(({ type }) => type === 'Available');
export const isAvailable = (service: ApiService): boolean => availabilityOf(service)?.status === 'True';
