// Which kind of receiver an alert is sent to. Pure.
import type { Alert } from '#ports/model/alerts';

/** Hosts of workflows and connectors of Microsoft Teams, which take cards and nothing else. */
const teamsHosts = [
  'logic.azure.com',
  'api.powerautomate.com',
  'api.powerplatform.com',
  'webhook.office.com',
] as const;

const mail = /^mailto:/i;

/** The mailbox that an alert is sent to, where its address is one of mail. */
export const mailboxOf = (url: string): string | undefined =>
  mail.test(url) ? url.replace(mail, '') : undefined;

/** The kind of the notifier for an alert: a general one at an address of Teams is told in its form. */
export const receiverOf = ({ type, webhook: { url } }: Pick<Alert, 'type' | 'webhook'>): string => {
  if (mailboxOf(url) !== undefined) return 'email';
  if (type !== 'general' || !URL.canParse(url)) return 'http';
  const { hostname } = new URL(url);
  return teamsHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
    ? 'teams'
    : 'http';
};
