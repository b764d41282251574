import { t } from '#schema';

/** An authenticated user. @spec 2.13 */
export class UserInfo extends t.message('authentication/v1.UserInfo', {
  username: t.string(1),
  uid: t.string(2),
  groups: t.strings(3),
  extra: t.mapOfStrings(4),
}) {}
