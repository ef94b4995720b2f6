import type { Message, Notifier } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';

// Bounds of https://docs.slack.dev/reference/block-kit/blocks
const [headerAtMost, fieldsAtMost, fieldAtMost, textAtMost, buttonsAtMost, buttonAtMost] = [
  150, 10, 2000, 3000, 5, 75,
];

const colours = { info: '#42a5f5', warning: '#ffa726', critical: '#ef5350' } as const;

export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** A user's text as plain words: no mention, link or channel can be made of it. Cut so that no escape is cut in the middle. */
export const escapeText = (text: string, most = textAtMost): string => {
  const escape = (plain: string) =>
    plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  let kept = cut(text, most);
  while (escape(kept).length > most)
    kept = cut(text, kept.length - Math.ceil((escape(kept).length - most) / 5));
  return escape(kept);
};

/** A message as an incoming webhook takes it: `text` for devices that show no blocks, blocks beside a bar in the level's colour. */
export const toSlack = ({
  title,
  text,
  facts,
  links,
  level = 'info',
  workspace,
  model,
}: Message) => {
  const place = [workspace, model].filter((one) => one !== undefined).join(' / ');
  const buttons = links
    .filter(({ address }) => /^https?:\/\//.test(address) && address.length <= 3000)
    .slice(0, buttonsAtMost);
  return {
    text: escapeText(title),
    attachments: [
      {
        color: colours[level],
        blocks: [
          {
            type: 'header',
            text: { type: 'plain_text', text: cut(title, headerAtMost), emoji: false },
          },
          ...(text === undefined || text === ''
            ? []
            : [
                {
                  type: 'section',
                  text: { type: 'mrkdwn', text: escapeText(text), verbatim: true },
                },
              ]),
          ...(facts.length === 0
            ? []
            : [
                {
                  type: 'section',
                  fields: facts.slice(0, fieldsAtMost).map(({ name, value }) => ({
                    type: 'mrkdwn',
                    text: `*${escapeText(name, 100)}*\n${escapeText(value, fieldAtMost - 200)}`,
                    verbatim: true,
                  })),
                },
              ]),
          ...(place === ''
            ? []
            : [
                {
                  type: 'context',
                  elements: [{ type: 'mrkdwn', text: escapeText(place, 500), verbatim: true }],
                },
              ]),
          ...(buttons.length === 0
            ? []
            : [
                {
                  type: 'actions',
                  elements: buttons.map(({ label, address }) => ({
                    type: 'button',
                    text: { type: 'plain_text', text: cut(label, buttonAtMost), emoji: false },
                    url: address,
                  })),
                },
              ]),
        ],
      },
    ],
  };
};

/** Tells a room of Slack, or of what takes the same (Discord below `/slack`, Mattermost), through an incoming webhook. */
export const slackNotifier = (outgoing: Outgoing): Notifier => ({
  kind: 'slack',
  check({ address }) {
    outgoing.check(address);
  },
  send: (message, { address, headers }, signal) =>
    outgoing.send(
      {
        method: 'POST',
        url: address,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(toSlack(message)),
      },
      signal,
    ),
});
