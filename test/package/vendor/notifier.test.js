// The suites of notifiers outside the tree, on a notifier of a vendor, as its package would run them.
import { createServer } from 'node:http';
import { messageWith, notifierContract, webNotifierContract } from 'orrery/test/contract/notifier';
import { openOutgoing } from 'orrery/test/contract/shipped';
import { pager } from './pager.js';

const replies = {
  '/accepts': { status: 200, body: 'ok'.repeat(5000) },
  '/refuses': { status: 404 },
  '/fails': { status: 502 },
  '/limits': { status: 429, headers: { 'Retry-After': '7' } },
  '/redirecting': { status: 307, headers: { Location: '/accepts' } },
};

const startReceiver = async () => {
  const got = [];
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    got.push({ body, headers: request.headers });
    if (request.url === '/silent') return;
    const known = replies[request.url];
    if (known === undefined) request.socket.destroy();
    else reply.writeHead(known.status, known.headers).end(known.body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    got,
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

/** What plugins' notifiers are given as `outgoing`, which refuses one path more. */
const judging = () => {
  const outgoing = openOutgoing();
  const refused = { durationMs: 0, text: '', error: 'the address is refused', retry: false };
  return {
    check: (url) => outgoing.check(url),
    send: async (request, signal) =>
      request.url.endsWith('/refused') ? refused : outgoing.send(request, signal),
  };
};

const open = async () => {
  const { got, url, stop } = await startReceiver();
  return {
    notifier: pager(judging()),
    target: (behaviour) => ({ address: `${url}/${behaviour.replace(' ', '-')}`, headers: {} }),
    told: () => got.map(({ body }) => body),
    headers: () => got.map(({ headers }) => headers),
    wrongAddress: 'nowhere',
    refusedAddress: `${url}/refused`,
    redirectingAddress: `${url}/redirecting`,
    silentAddress: `${url}/silent`,
    takesSecret: true,
    stop,
  };
};

describe("a vendor's pager", () => {
  notifierContract(open);
  webNotifierContract(open);

  it('writes a line for each fact', async () => {
    const stage = await open();
    await stage.notifier.send(messageWith(), stage.target('accepts'), new AbortController().signal);
    const [page] = stage.told();
    await stage.stop();
    if (!page.split('\n').includes('Status: QA')) throw new Error(`the page reads ${page}`);
  });
});
