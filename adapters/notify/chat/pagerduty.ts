import type { Message, Notifier } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';
import { cut } from './slack.js';

// Bounds of https://developer.pagerduty.com/docs/events-api-v2/trigger-events/
const [summaryAtMost, keyAtMost, bytesAtMost] = [1024, 255, 400 * 1024];

/** A message as the Events API, version 2, takes it: what belongs to one incident has one key, and the last message of it resolves it. */
export const toPagerDuty = (message: Message, routingKey: string) => {
  const { id, at, title, text, facts, links, level = 'info', workspace, model, incident } = message;
  const event = {
    routing_key: routingKey,
    event_action: incident?.isOver === true ? 'resolve' : 'trigger',
    dedup_key: cut(incident?.id ?? id, keyAtMost),
    client: 'Orrery',
    payload: {
      summary: cut(title, summaryAtMost) || 'Orrery',
      source:
        cut([workspace, model].filter((one) => one !== undefined).join(' / '), 255) || 'Orrery',
      severity: level,
      timestamp: new Date(at).toISOString(),
      component: cut(model ?? '', 255),
    },
    links: links
      .filter(({ address }) => /^https?:\/\//.test(address) && address.length <= 2000)
      .slice(0, 10)
      .map(({ label, address }) => ({ href: address, text: cut(label, 255) })),
  };
  const details = {
    ...(text === undefined ? {} : { description: cut(text, 10_000) }),
    ...Object.fromEntries(
      facts.slice(0, 20).map(({ name, value }) => [cut(name, 100), cut(value, 2000)]),
    ),
  };
  const whole = { ...event, payload: { ...event.payload, custom_details: details } };
  return Buffer.byteLength(JSON.stringify(whole)) > bytesAtMost ? event : whole;
};

/** Tells an on-call service through the Events API of PagerDuty; the secret of the channel is the routing key of its service. */
export const pagerDutyNotifier = (outgoing: Outgoing): Notifier => ({
  kind: 'pagerduty',
  check({ address }) {
    outgoing.check(address);
  },
  send: (message, { address, headers, secret }, signal) =>
    secret === undefined
      ? Promise.resolve({
          durationMs: 0,
          text: '',
          error: 'the channel has no routing key; it is written as its secret',
          retry: false,
        })
      : outgoing.send(
          {
            method: 'POST',
            url: address,
            headers: { ...headers, 'Content-Type': 'application/json' },
            body: JSON.stringify(toPagerDuty(message, secret)),
          },
          signal,
        ),
});
