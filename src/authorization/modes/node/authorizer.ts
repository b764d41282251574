import { nodeOfUser, type Brand, type ObjectAccess } from '#api';
import { abortedBy, failureText, type Log } from '#base';
import type { AccessRules, Answer, Authorizer, Question } from '#request';
import type { Rule } from '../rbac/index.ts';
import { rulesAllow } from '../rbac/index.ts';
import { NodeGraph } from './node-graph.ts';
import { NODE_RULES, type NodeRule } from './node-rules.table.ts';

interface Surroundings {
  readonly brand: Brand;
  readonly objects: ObjectAccess;
  readonly log: Log;
  /** The RBAC rules that hold for all nodes. */
  readonly rules: () => readonly Rule[];
}

const ALLOWED: Answer = { verdict: 'allow', reason: '' };
const FAILURE = 'the node authorizer cannot read what pods use';
const UNKNOWN: Answer = { verdict: 'noOpinion', reason: '', failure: FAILURE };
const noOpinion = (reason: string): Answer => ({ verdict: 'noOpinion', reason });

/** The node authorizer. It follows objects until the signal given to `start` aborts. */
export interface NodeAuthorizer extends Authorizer {
  start(signal: AbortSignal): void;
}

/**
 * Allows a kubelet what all nodes may do, and to read what the pods on its node use. Has no opinion on other users. Pods and volumes are followed
 * from the first question that needs them: a server without nodes does not hold that data. Where they cannot be followed, that is logged and counts
 * as no opinion with a failure, and the next question that needs them begins anew.
 * @spec 5.1
 */
export function nodeAuthorizer({ brand, objects, log, rules }: Surroundings): NodeAuthorizer {
  const byResource = new Map(Object.entries(NODE_RULES).map(([key, rule]) => [spelled(key, brand), rule]));
  let ended: AbortSignal | undefined;
  let graph: Promise<NodeGraph | undefined> | undefined;
  const knowing = async (): Promise<NodeGraph | undefined> => {
    const made = new NodeGraph(brand);
    const following = abortedBy(ended ?? AbortSignal.abort());
    try {
      await made.follow(objects, following.signal);
      return made;
    } catch (cause) {
      // Stops the streams that were started: nothing would use them.
      following.abort();
      graph = undefined;
      if (ended?.aborted !== true) log.error(FAILURE, { why: failureText(cause) });
      return undefined;
    }
  };
  const related = async (node: string, { resource, namespace, name }: Question): Promise<Answer> => {
    graph ??= knowing();
    const known = await graph;
    if (known === undefined) return UNKNOWN;
    return known.isRelated(node, resource, { namespace, name }) ? ALLOWED : noOpinion(`no relationship found between node '${node}' and this object`);
  };
  return {
    start(signal) {
      ended = signal;
    },
    authorize(question) {
      const node = nodeOfUser(question.user);
      if (node === undefined) return noOpinion('');
      if (node === '') return noOpinion(`unknown node for user ${JSON.stringify(question.user.name)}`);
      const rule = ruleFor(byResource, question);
      if (rule === undefined) return rulesAllow(rules(), question) ? ALLOWED : noOpinion('');
      const why = whyNot(rule, question, node, brand);
      if (why !== undefined) return noOpinion(why);
      return rule.which === 'own' ? ALLOWED : related(node, question);
    },
    // The permissions of a node depend on its pods and cannot be listed; other users have none here.
    rulesOf: (user) => (nodeOfUser(user) === undefined ? NOTHING : UNLISTED),
  };
}

const NOTHING: AccessRules = { rules: [], isIncomplete: false };
const UNLISTED: AccessRules = { rules: [], isIncomplete: true, failure: 'node authorizer does not support user rule resolution' };

function spelled(key: string, brand: Brand): string {
  const at = key.indexOf('/');
  return brand.group(key.slice(0, at)) + key.slice(at);
}

function ruleFor(byResource: ReadonlyMap<string, NodeRule | undefined>, { isResourceRequest, group, resource, subresource }: Question): NodeRule | undefined {
  if (!isResourceRequest) return undefined;
  return byResource.get(`${group}/${resource}/${subresource}`) ?? byResource.get(`${group}/${resource}`);
}

function whyNot(rule: NodeRule, { verb, subresource, namespace, name }: Question, node: string, { names }: Brand): string | undefined {
  if (!rule.verbs.includes(verb) || (rule.subresource === 'token' && name === '')) return rule.otherVerb;
  if (rule.subresource !== '*' && rule.subresource !== subresource) return rule.otherSubresource;
  if (rule.isInLeaseNamespace && namespace !== names.leaseNamespace) {
    return `can only access leases in the ${JSON.stringify(names.leaseNamespace)} system namespace`;
  }
  if (rule.noNamespace !== undefined && namespace === '') return rule.noNamespace;
  if (rule.which === 'related') return name === '' ? 'No Object name found' : undefined;
  return verb === 'create' || name === node ? undefined : rule.otherName;
}
