import type { Message, Notifier } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';
import { cut } from './slack.js';

/** What a workflow takes is about 28 KB for the whole message. */
const bytesAtMost = 24 * 1024;

const colours = { info: 'accent', warning: 'warning', critical: 'attention' } as const;
const themes = { info: '42A5F5', warning: 'FFA726', critical: 'EF5350' } as const;

/** Markdown is read in these texts: signs that would make something of a user's words are shown as they are. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]()#<>~|!]/g, String.raw`\$&`);

const card = (
  { title, text, facts, links, level = 'info', workspace, model }: Message,
  most: number,
) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        type: 'AdaptiveCard',
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        version: '1.4',
        body: [
          {
            type: 'TextBlock',
            text: plain(cut(title, most)),
            size: 'Large',
            weight: 'Bolder',
            wrap: true,
            color: colours[level],
          },
          ...(text === undefined || text === ''
            ? []
            : [{ type: 'TextBlock', text: plain(cut(text, most)), wrap: true }]),
          {
            type: 'FactSet',
            facts: facts.map(({ name, value }) => ({
              title: plain(cut(name, 100)),
              value: plain(cut(value, most)),
            })),
          },
          {
            type: 'TextBlock',
            text: plain(
              cut([workspace, model].filter((one) => one !== undefined).join(' / '), most),
            ),
            isSubtle: true,
            wrap: true,
          },
        ],
        actions: links
          .filter(({ address }) => /^https?:\/\//.test(address) && address.length <= most)
          .slice(0, 5)
          .map(({ label, address }) => ({
            type: 'Action.OpenUrl',
            title: cut(label, 75),
            url: address,
          })),
        msteams: { width: 'Full' },
      },
    },
  ],
});

/** The older form, which connectors of `webhook.office.com` take. */
const messageCard = ({ title, text, facts, links, level = 'info' }: Message, most: number) => ({
  '@type': 'MessageCard',
  '@context': 'http://schema.org/extensions',
  themeColor: themes[level],
  summary: cut(title, 200),
  title: plain(cut(title, most)),
  ...(text === undefined || text === '' ? {} : { text: plain(cut(text, most)) }),
  sections: [
    {
      facts: facts.map(({ name, value }) => ({
        name: plain(cut(name, 100)),
        value: plain(cut(value, most)),
      })),
    },
  ],
  potentialAction: links
    .filter(({ address }) => /^https?:\/\//.test(address) && address.length <= most)
    .slice(0, 4)
    .map(({ label, address }) => ({
      '@type': 'OpenUri',
      name: cut(label, 75),
      targets: [{ os: 'default', uri: address }],
    })),
});

const isConnector = (address: string): boolean =>
  URL.canParse(address) &&
  /(^|\.)(webhook\.office\.com|outlook\.office\.com|outlook\.office365\.com)$/.test(
    new URL(address).hostname,
  );

/** A message as the address takes it, its texts cut until it is small enough. */
export const toTeams = (message: Message, address: string): string => {
  const write = isConnector(address) ? messageCard : card;
  for (let most = 4000; ; most = Math.floor(most / 2)) {
    const body = JSON.stringify(
      write({ ...message, facts: message.facts.slice(0, most >= 100 ? 50 : 10) }, most),
    );
    if (Buffer.byteLength(body) <= bytesAtMost || most < 20) return body;
  }
};

/** Tells a channel of Teams through a workflow, or an older connector. */
export const teamsNotifier = (outgoing: Outgoing): Notifier => ({
  kind: 'teams',
  check({ address }) {
    outgoing.check(address);
  },
  send: (message, { address, headers }, signal) =>
    outgoing.send(
      {
        method: 'POST',
        url: address,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: toTeams(message, address),
      },
      signal,
    ),
});
