// Mail through the installation's own SMTP server. Its library is imported only where one is set.
import { createTransport } from 'nodemailer';
import { Failure } from '#ports/failure';
import type { Message, Notifier } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Encrypted from the start, after STARTTLS and not without, or not at all. */
  readonly tls: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly replyTo: string;
  /** Host of the server's own address, for the ids of messages. */
  readonly ownHost: string;
}

const limitMs = 10_000;
const subjectAtMost = 200;
const [textAtMost, factsAtMost, valueAtMost] = [20_000, 50, 2000];

/** The same, short enough to be read. */
const bounded = (message: Message): Message => ({
  ...message,
  title: message.title.slice(0, valueAtMost),
  ...(message.text === undefined ? {} : { text: message.text.slice(0, textAtMost) }),
  links: message.links.slice(0, factsAtMost),
  facts: message.facts.slice(0, factsAtMost).map(({ name, value }) => ({
    name: name.slice(0, subjectAtMost),
    value: value.slice(0, valueAtMost),
  })),
});

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
const isWeb = (address: string): boolean => /^https?:\/\//.test(address);

const toText = ({ title, text, facts, links }: Message): string =>
  [
    title,
    ...(text === undefined || text === '' ? [] : [text]),
    facts.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    links.map(({ label, address }) => `${label}: ${address}`).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

/** The same for readers of HTML: no picture, no style and nothing that is fetched. */
const toHtml = ({ title, text, facts, links }: Message): string =>
  [
    `<h2>${escapeHtml(title)}</h2>`,
    ...(text === undefined || text === ''
      ? []
      : [`<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`]),
    facts.length === 0
      ? ''
      : `<table>${facts.map(({ name, value }) => `<tr><th align="left" valign="top">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join('')}</table>`,
    ...links
      .filter(({ address }) => isWeb(address))
      .map(
        ({ label, address }) => `<p><a href="${escapeHtml(address)}">${escapeHtml(label)}</a></p>`,
      ),
  ]
    .filter((part) => part !== '')
    .join('\n');

/** What is put into the mail; the id of a message is made from what it belongs to, so that mail readers keep them together. */
export const toMail = (
  message: Message,
  to: string,
  { from, replyTo, ownHost }: Pick<SmtpSettings, 'from' | 'replyTo' | 'ownHost'>,
) => {
  const { id: incident, place } = message.incident ?? { id: message.id, place: 1 };
  const idOf = (one: number) => `<alert-${incident}.${one}@${ownHost}>`;
  return {
    from,
    to: { name: '', address: to },
    ...(replyTo === '' ? {} : { replyTo }),
    subject: oneLine(message.title).slice(0, subjectAtMost),
    date: new Date(message.at),
    text: toText(bounded(message)),
    html: toHtml(bounded(message)),
    messageId: idOf(place),
    ...(place > 1 ? { inReplyTo: idOf(1), references: [idOf(1)] } : {}),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Alert-Level': message.level ?? 'info',
      ...(message.workspace === undefined ? {} : { 'X-Workspace': oneLine(message.workspace) }),
      ...(message.model === undefined ? {} : { 'X-Model': oneLine(message.model) }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** 5xx about the mail or its recipient is for good; what keeps the server from taking any mail is not. */
const tell = (thrown: unknown, durationMs: number): OutgoingReply => {
  const { responseCode, response, code } = thrown as {
    responseCode?: unknown;
    response?: unknown;
    code?: unknown;
  }; // any thrown value can be asked for members, which may be absent
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const bounced =
    status !== undefined && status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  const error = bounced
    ? `the mail server refused the mail (${status})`
    : status === undefined
      ? `the mail server could not be used (${typeof code === 'string' ? code : 'unknown'})`
      : `the mail server answered ${status}`;
  return {
    durationMs,
    text: typeof response === 'string' ? response.slice(0, 2048) : '',
    retry: !bounced,
    error,
    ...(status === undefined ? {} : { status }),
  };
};

export const emailNotifier = (settings: SmtpSettings): Notifier => {
  const { host, port, tls, user, password } = settings;
  const transport = createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    name: settings.ownHost,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    dnsTimeout: limitMs,
    ...(user === '' ? {} : { auth: { user, pass: password } }),
  });
  return {
    kind: 'email',
    check({ address }) {
      if (
        address.length > 254 ||
        !/^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u.test(address)
      )
        throw new Failure('invalid', 'a target must be the address of one mailbox');
    },
    async send(message, target) {
      const began = performance.now();
      try {
        const sent = await transport.sendMail(toMail(message, target.address, settings));
        return {
          status: 250,
          durationMs: Math.round(performance.now() - began),
          text: String(sent.response).slice(0, 2048),
          retry: false,
        };
      } catch (thrown) {
        return tell(thrown, Math.round(performance.now() - began));
      }
    },
  };
};
