import { badRequest, conflict, FieldErrors, invalid } from '#errors';
import { applyDefaults, formatTime } from '#schema';
import { isApiVersion, parseApiVersion, type ApiObject } from '#api';
import { validateTokenRequest, type Pod, type TokenRequest } from '#kinds';
import { get } from '#registry';
import type { BoundTokenOrder } from '#request';
import { admissionRequest } from '../admission-request.ts';
import { readWriteOptions } from '../options.ts';
import { replyPart } from '../represent.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { planOf } from '../write-plan.ts';
import { subresourceType, decodeSubresource, trackSubresource } from './decode-subresource.ts';

/** The lifetime of the tokens that the ServiceAccount plugin projects into pods; a token for this server with this lifetime may be extended. */
const PROJECTED_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/**
 * Issues a token for a service account. Throws `NotFound` without the account or the object that the token is to be bound to, `Conflict` where that
 * object has another uid, `Invalid`, `BadRequest`.
 * @spec 5.9
 */
export const tokenRequest: VerbHandler = async (context) => {
  const { env, registry, route } = context;
  const plan = planOf('CREATE', readWriteOptions(context, 'create'));
  const sent = (await decodeSubresource(context)) as TokenRequest;
  applyDefaults(subresourceType(context), sent);
  const admitted = admissionRequest(context, plan, trackSubresource(context, plan, sent), undefined);
  await env.admission.mutate(admitted);
  const wanted = (admitted.object ?? sent) as TokenRequest;
  await env.admission.validate(admitted);
  check(context, wanted);
  const { object: account } = await get(registry, route.key, 'latest');
  const boundTo = await findBound(context, wanted.spec);
  if ((wanted.spec.audiences ?? []).length === 0) wanted.spec.audiences = [...env.tokens.issuer.audiences];
  const nowMs = env.clock.nowMs();
  limitLife(context, wanted.spec);
  const token = await env.tokens.issuer.issueBound(orderOf(context, wanted.spec, account, boundTo, nowMs));
  wanted.status = { token, expirationTimestamp: formatTime(nowMs + Number(wanted.spec.expirationSeconds) * 1000) };
  return replyPart(context, 201, subresourceType(context), wanted);
};

type Spec = TokenRequest['spec'];
type Bound = NonNullable<BoundTokenOrder['boundTo']>;

/** Throws `Invalid`. */
function check({ env }: VerbContext, wanted: TokenRequest): void {
  const at = new FieldErrors();
  validateTokenRequest(wanted, at);
  if (!at.isEmpty) throw invalid({ group: env.catalog.brand.group('authentication'), kind: 'TokenRequest' }, '', at.causes);
}

const BINDABLE: Readonly<Record<string, Bound['kind']>> = { Pod: 'pod', Secret: 'secret' };

async function findBound({ env, route }: VerbContext, { boundObjectRef: reference }: Spec): Promise<Bound | undefined> {
  if (!reference) return undefined;
  const { kind = '', apiVersion = '', name = '', uid = '' } = reference;
  // What is no version counts as none.
  const { group, version } = isApiVersion(apiVersion) ? parseApiVersion(apiVersion) : { group: '', version: '' };
  const bindable = group === '' && Object.hasOwn(BINDABLE, kind) ? BINDABLE[kind] : undefined;
  const resource = bindable === undefined ? undefined : env.catalog.findKind('', kind);
  if (bindable === undefined || resource === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw badRequest('Name parameter required.');
  const { object } = await get(env.registries.of(resource), { namespace: route.key.namespace, name }, 'latest');
  if (bindable === 'pod' && (object as Pod).spec.serviceAccountName !== route.key.name) {
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(route.key.name)} to pod running with different serviceaccount name.`);
  }
  const actual = object.metadata.uid ?? '';
  if (uid !== '' && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: kind }, name, why);
  }
  return { kind: bindable, name, uid: actual };
}

/** Shortens the lifetime to the maximum, and warns. Changes `spec`. */
function limitLife({ request, env }: VerbContext, spec: Spec): void {
  const { maxExpirationSeconds = Infinity } = env.tokens.issuer;
  const requested = Number(spec.expirationSeconds);
  if (requested <= maxExpirationSeconds) return;
  request.warn(`requested expiration of ${requested} seconds shortened to ${maxExpirationSeconds} seconds`);
  spec.expirationSeconds = maxExpirationSeconds;
}

function orderOf({ env, route }: VerbContext, spec: Spec, account: ApiObject, boundTo: Bound | undefined, nowMs: number): BoundTokenOrder {
  const { issuer } = env.tokens;
  const audiences = spec.audiences ?? [];
  const requested = Number(spec.expirationSeconds);
  const isProjected = boundTo?.kind === 'pod' && requested === PROJECTED_SECONDS && audiences.every((one) => issuer.audiences.includes(one));
  const isExtended = issuer.extendsExpiration && isProjected;
  return {
    namespace: route.key.namespace,
    account: { name: route.key.name, uid: account.metadata.uid ?? '' },
    ...(boundTo === undefined ? {} : { boundTo }),
    audiences,
    issuedAtMs: nowMs,
    expirationSeconds: isExtended ? EXTENDED_SECONDS : requested,
    ...(isExtended ? { warnAfterSeconds: requested } : {}),
  };
}
