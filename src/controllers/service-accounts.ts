import { isRefusal, source, type Controller } from '#client';
import { Namespace, ServiceAccount } from '#kinds';

/** The account that pods have when they name none. */
const NAME = 'default';

/** Every namespace has an account named `default`; one that is deleted comes back. @spec 5.9 */
export const serviceAccounts: Controller<Namespace> = {
  name: 'serviceaccount',
  watches: Namespace,
  also: [
    source(ServiceAccount, ({ metadata: { name, namespace = '' } }) => (name === NAME ? [{ namespace: '', name: namespace }] : [])),
  ],
  workers: 4,
  async reconcile({ name: namespace }, { client, inform }) {
    const live = inform(Namespace).get({ namespace: '', name: namespace });
    if (live === undefined || isGoing(live) || inform(ServiceAccount).get({ namespace, name: NAME }) !== undefined) return undefined;
    try {
      await client.of(ServiceAccount).create({ metadata: { namespace, name: NAME } });
    } catch (cause) {
      if (!isTooLate(cause)) throw cause;
    }
    return undefined;
  },
};

export const isGoing = ({ metadata, status }: Namespace): boolean => !!metadata.deletionTimestamp || status.phase === 'Terminating';

/** The object exists already, or its namespace is being deleted or is gone. */
export const isTooLate = (cause: unknown): boolean =>
  isRefusal(cause, 'AlreadyExists', 'NotFound') ||
  (isRefusal(cause, 'Forbidden') && (cause.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating'));
