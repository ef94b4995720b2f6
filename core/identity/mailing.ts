// Mail to one person, mostly with a link that must not be kept anywhere: sent at once and not through the queue of deliveries, which stores what it sends.
import type { IdentityNeeds } from './needs.js';

export interface Letter {
  readonly id: string;
  readonly to: string;
  readonly title: string;
  readonly text: string;
  /** Shown below the text, as name and value. */
  readonly facts?: readonly { readonly name: string; readonly value: string }[];
  readonly link: { readonly label: string; readonly address: string };
}

export const sendsMail = ({ notifiers }: Pick<IdentityNeeds, 'notifiers'>): boolean =>
  notifiers.find('email') !== undefined;

/** Sends it once; whether it went out. What the mail server says may repeat the mail, so only its own sentence is logged. */
export const sendLetter = async (
  { notifiers, clock, log }: Pick<IdentityNeeds, 'notifiers' | 'clock' | 'log'>,
  { id, to, title, text, facts = [], link }: Letter,
): Promise<boolean> => {
  const mail = notifiers.find('email');
  if (mail === undefined) return false;
  const reply = await mail.send(
    { id, at: clock.now(), title, text, facts, links: [link], record: '' },
    { address: to, headers: {} },
    new AbortController().signal,
  );
  if (reply.error !== undefined)
    log.warn('a mail to a user was not sent', { letter: id, error: reply.error });
  return reply.error === undefined;
};
