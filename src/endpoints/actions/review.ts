import { FieldErrors, invalid } from '#errors';
import { objectTypeOf, type ApiObject } from '#api';
import type { Reply } from '#request';
import { admissionRequest } from '../admission-request.ts';
import { decodeAs } from '../decode-body.ts';
import { readWriteOptions } from '../options.ts';
import { replyPart } from '../represent.ts';
import { trackWrite } from '../track-write.ts';
import type { VerbContext } from '../verb-context.ts';
import { planOf } from '../write-plan.ts';

/**
 * Decodes the body of a review, tracks its fields, and runs validation and admission as for an object; its namespace is that of the body. Throws
 * `BadRequest`, `Invalid`, and what admission throws.
 */
export async function readReview(context: VerbContext): Promise<ApiObject> {
  const { route, request, env } = context;
  const { kind, group } = route.resource;
  const plan = planOf('CREATE', readWriteOptions(context, 'create'));
  const type = objectTypeOf(route.served.schema);
  const sent = await decodeAs(context, { apiVersion: route.served.apiVersion, kind: kind.kind, type });
  const admitted = admissionRequest(context, plan, await trackWrite(context, plan, sent, undefined), undefined);
  await env.admission.mutate(admitted);
  const review = admitted.object ?? sent;
  const at = new FieldErrors();
  kind.validate?.(review, undefined, at, { brand: env.catalog.brand, subresource: '', nowMs: env.clock.nowMs(), user: request.user });
  // kube-apiserver leaves out the kind.
  if (!at.isEmpty) throw invalid({ group, kind: '' }, '', at.causes);
  await env.admission.validate(admitted);
  return review;
}

/** Replies with the review, its status set. */
export function answerReview(context: VerbContext, review: ApiObject): Reply {
  return replyPart(context, 201, objectTypeOf(context.route.served.schema), review);
}
