// A notifier as a vendor writes it: pages take text, one line for each fact, and a key of the receiver as a header.
import { createHmac } from 'node:crypto';

const proofOf = (secret) => createHmac('sha256', secret).update('page').digest('hex');

const signed = (headers, secret, secretAs) =>
  secret === undefined
    ? headers
    : secretAs === 'authorization'
      ? { ...headers, Authorization: secret }
      : { ...headers, 'X-Page-Proof': proofOf(secret) };

const textOf = ({ title, text, facts, links }) =>
  [
    title,
    ...(text === undefined ? [] : [text]),
    ...facts.map(({ name, value }) => `${name}: ${value}`),
    ...links.map(({ label, address }) => `${label}: ${address}`),
  ].join('\n');

export const pager = (outgoing) => ({
  kind: 'pager',
  check: ({ address }) => outgoing.check(address),
  send: (message, { address, headers, secret, secretAs }, signal) =>
    outgoing.send(
      {
        method: 'POST',
        url: address,
        headers: signed({ 'Content-Type': 'text/plain', ...headers }, secret, secretAs),
        body: textOf(message),
      },
      signal,
    ),
});
