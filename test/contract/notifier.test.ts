import { expect } from 'chai';
import { pagerDutyNotifier, toPagerDuty } from '#adapters/notify/chat/pagerduty';
import { slackNotifier, toSlack } from '#adapters/notify/chat/slack';
import { teamsNotifier, toTeams } from '#adapters/notify/chat/teams';
import { emailNotifier, type SmtpSettings } from '#adapters/notify/email/email-notifier';
import { httpNotifier } from '#adapters/notify/http/http-notifier';
import { createOutgoing } from '#adapters/system/outgoing';
import { judgeTargets } from '#adapters/system/targets';
import { systemClock } from '#adapters/system/clock';
import { Failure } from '#ports/failure';
import type { Notifier, NotifyTarget } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';
import { startReceiver, type Told } from '#test/clients/receiver';
import { decoded, startMailServer } from '#test/clients/smtp';
import {
  messageWith,
  notifierContract,
  webNotifierContract,
  type Behaviour,
  type NotifierStage,
  type WebNotifierStage,
} from './notifier.js';
import { runAside } from './teeth.js';

const outgoing = createOutgoing(judgeTargets('127.0.0.1'));
const answers: Readonly<Record<Behaviour, Told>> = {
  accepts: { status: 200, body: 'ok'.repeat(5000) },
  refuses: { status: 404, body: 'no_service' },
  fails: { status: 502 },
  limits: { status: 429, headers: { 'Retry-After': '7' } },
  'hangs up': { hangUp: true },
};

/** The address check, which refuses one path more. */
const judging: Outgoing = {
  check(url) {
    if (url.endsWith('/refused')) throw new Failure('invalid', 'the address is refused');
    outgoing.check(url);
  },
  send: async (request, signal) =>
    request.url.endsWith('/refused')
      ? { durationMs: 0, text: '', error: 'the address is refused', retry: false }
      : outgoing.send(request, signal),
  stream: outgoing.stream,
};

const overHttp =
  (notifier: Notifier, takesSecret = false) =>
  async (): Promise<WebNotifierStage> => {
    const receiver = await startReceiver();
    receiver.answer('/refused', () => ({ status: 200 }));
    receiver.answer('/redirecting', () => ({ status: 307, headers: { Location: '/accepts' } }));
    receiver.answer('/silent', () => ({ status: 200, afterMs: 60_000 }));
    for (const [behaviour, answer] of Object.entries(answers))
      receiver.answer(`/${behaviour.replace(' ', '-')}`, () => answer);
    return {
      notifier,
      target: (behaviour) => ({
        address: `${receiver.url}/${behaviour.replace(' ', '-')}`,
        headers: {},
      }),
      told: () => receiver.got().map(({ body }) => body),
      headers: () => receiver.got().map(({ headers }) => headers),
      wrongAddress: 'nowhere',
      refusedAddress: `${receiver.url}/refused`,
      redirectingAddress: `${receiver.url}/redirecting`,
      silentAddress: `${receiver.url}/silent`,
      takesSecret,
      stop: () => receiver.stop(),
    };
  };

const smtp = (port: number, given: Partial<SmtpSettings> = {}): SmtpSettings => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  user: '',
  password: '',
  from: 'Orrery <orrery@orrery.example>',
  replyTo: '',
  ownHost: 'orrery.example',
  ...given,
});
const overMail = async (): Promise<NotifierStage> => {
  const server = await startMailServer();
  const mailboxes: Partial<Record<Behaviour, string>> = {
    accepts: 'ann',
    refuses: 'refused',
    fails: 'later',
    'hangs up': 'cut',
  };
  return {
    notifier: emailNotifier(smtp(server.port)),
    target: (behaviour) =>
      mailboxes[behaviour] === undefined
        ? undefined
        : { address: `${mailboxes[behaviour]}@people.example`, headers: {} },
    told: () => server.got().map(({ raw }) => decoded(raw)),
    wrongAddress: 'ann@people.example, bob@people.example',
    stop: () => server.stop(),
  };
};

/** As a channel has it that was given its routing key. */
const keyed = (notifier: Notifier): Notifier => ({
  ...notifier,
  send: (message, target, signal) =>
    notifier.send(message, { secret: 'routing-key', ...target }, signal),
});

const overWeb: Readonly<Record<string, () => Promise<WebNotifierStage>>> = {
  http: overHttp(
    httpNotifier({ outgoing: judging, clock: systemClock, userAgent: 'orrery/test' }),
    true,
  ),
  slack: overHttp(slackNotifier(judging)),
  teams: overHttp(teamsNotifier(judging)),
  pagerduty: overHttp(keyed(pagerDutyNotifier(judging))),
};

describe('notifier', () => {
  for (const [kind, open] of Object.entries(overWeb))
    describe(kind, () => {
      notifierContract(open);
      webNotifierContract(open);
    });
  describe('email', () => {
    notifierContract(overMail);
  });
});

/** Sends as a notifier does that knows no better: by the platform, past the address check. */
const unjudged: Outgoing = {
  ...outgoing,
  check: () => undefined,
  async send({ method, url, headers, body }, signal) {
    const began = Date.now();
    try {
      const reply = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        redirect: 'manual',
        signal,
      });
      const { ok, status } = reply;
      const durationMs = Date.now() - began;
      return ok
        ? { status, durationMs, text: '', retry: false }
        : { status, durationMs, text: '', retry: false, error: `answered ${status}` };
    } catch {
      return { durationMs: Date.now() - began, text: '', error: 'it was not sent', retry: true };
    }
  },
};
const following: Outgoing = {
  ...judging,
  async send(request, signal) {
    const reply = await judging.send(request, signal);
    return reply.status === 307
      ? judging.send({ ...request, url: new URL('/accepts', request.url).href }, signal)
      : reply;
  },
};
const sound = (by: Outgoing): Notifier =>
  httpNotifier({ outgoing: by, clock: systemClock, userAgent: 'orrery/test' });
const changing = (change: (target: NotifyTarget) => NotifyTarget): Notifier => {
  const notifier = sound(judging);
  return {
    ...notifier,
    send: (message, target, signal) => notifier.send(message, change(target), signal),
  };
};
const mutants: Readonly<Record<string, Notifier>> = {
  'drops the headers': changing((target) => ({ ...target, headers: {} })),
  'ignores the secret': changing(({ secret: _, ...target }) => target),
  'ignores the signal': {
    ...sound(judging),
    send: (message, target) => sound(judging).send(message, target, new AbortController().signal),
  },
  'follows redirects': sound(following),
  'checks no address': { ...sound(judging), check: () => undefined },
  'calls past the address check': sound(unjudged),
};

describe('the suite of notifiers that send requests', () => {
  it('passes a notifier that keeps the contract', async () => {
    const { failed } = await runAside(() => {
      webNotifierContract(overHttp(sound(judging), true));
    });

    expect(failed).to.deep.equal([]);
  });

  for (const [fault, notifier] of Object.entries(mutants))
    it(`turns red for one that ${fault}`, async () => {
      const { failed } = await runAside(
        () => {
          webNotifierContract(overHttp(notifier, true));
        },
        { bail: true },
      );

      expect(failed).not.to.deep.equal([]);
    }).timeout(30_000);
});

describe('headers that a user gives a channel', () => {
  for (const [name, notifier] of Object.entries({
    http: httpNotifier({ outgoing, clock: systemClock, userAgent: 'orrery/test' }),
    slack: slackNotifier(outgoing),
    teams: teamsNotifier(outgoing),
  })) {
    it(`do not change how a request is framed: ${name}`, async () => {
      const receiver = await startReceiver();
      receiver.answer('/room', () => ({ status: 200 }));
      const headers = {
        'content-length': '3',
        'Transfer-Encoding': 'chunked',
        host: 'elsewhere.example',
        Connection: 'upgrade',
        UPGRADE: 'h2c',
        expect: '100-continue',
        'content-type': 'text/plain',
        'X-Own': 'kept',
      };

      const result = await notifier.send(
        messageWith({ title: 'a title' }),
        { address: `${receiver.url}/room`, headers },
        new AbortController().signal,
      );

      const [got] = receiver.got('/room');
      expect(result.status).to.equal(200);
      expect([
        got?.headers['content-length'],
        got?.headers['transfer-encoding'],
        got?.headers.host,
        got?.headers.upgrade,
        got?.headers.expect,
        got?.headers['content-type'],
        got?.headers['x-own'],
      ]).to.deep.equal([
        String(Buffer.byteLength(got?.body ?? '')),
        undefined,
        new URL(receiver.url).host,
        undefined,
        undefined,
        'application/json',
        'kept',
      ]);
      await receiver.stop();
    });
  }
});

describe('messages to rooms', () => {
  const long = messageWith({
    title: 't'.repeat(400),
    text: '<&>'.repeat(3000),
    facts: Array.from({ length: 20 }, (_, i) => ({
      name: `${i} <!channel>`,
      value: '&'.repeat(4000),
    })),
    links: Array.from({ length: 9 }, () => ({
      label: 'l'.repeat(100),
      address: 'https://a.example/',
    })),
    workspace: 'w',
    model: 'm',
    level: 'critical',
  });

  it("keep to the bounds of Slack, and make nothing of a user's words", () => {
    const {
      text,
      attachments: [attachment],
    } = toSlack(long);
    const [header, section, fields, context, actions] = (attachment?.blocks ??
      []) as readonly Readonly<Record<string, unknown>>[]; // five kinds of blocks
    const lengthOf = (of: unknown) => (of as { text: string }).text.length; // a text object of a block

    expect([
      lengthOf(header?.['text']) <= 150,
      lengthOf(section?.['text']) <= 3000,
      (fields?.['fields'] as unknown[]).length,
      (fields?.['fields'] as unknown[]).every((one) => lengthOf(one) <= 2000),
    ]).to.deep.equal([true, true, 10, true]);
    expect([
      (context?.['elements'] as unknown[]).length,
      (actions?.['elements'] as { text: unknown }[]).map((one) => lengthOf(one.text)),
    ]).to.deep.equal([1, [75, 75, 75, 75, 75]]);
    expect([text.length <= 3000, attachment?.color]).to.deep.equal([true, '#ef5350']);
    expect(JSON.stringify([section, fields])).not.to.match(/<|>|&(?!amp;|lt;|gt;)/);
  });

  it('keep to 24 KB of Teams, as a card or for an older connector', () => {
    const [card, older] = [
      toTeams(long, 'https://prod.logic.azure.com/x'),
      toTeams(long, 'https://x.webhook.office.com/x'),
    ];

    expect([
      Buffer.byteLength(card) <= 24 * 1024,
      Buffer.byteLength(older) <= 24 * 1024,
    ]).to.deep.equal([true, true]);
    const parsed = JSON.parse(card) as {
      type: string;
      attachments: {
        contentType: string;
        contentUrl: null;
        content: {
          type: string;
          version: string;
          body: { type: string }[];
          actions: { type: string }[];
          msteams: unknown;
        };
      }[];
    };
    const [attachment] = parsed.attachments;
    expect([
      parsed.type,
      attachment?.contentType,
      attachment?.contentUrl,
      attachment?.content.type,
      attachment?.content.version,
      attachment?.content.msteams,
      attachment?.content.body.map(({ type }) => type),
    ]).to.deep.equal([
      'message',
      'application/vnd.microsoft.card.adaptive',
      null,
      'AdaptiveCard',
      '1.4',
      { width: 'Full' },
      ['TextBlock', 'TextBlock', 'FactSet', 'TextBlock'],
    ]);
    expect((JSON.parse(older) as Record<string, unknown>)['@type']).to.equal('MessageCard');
  });
});

describe('mail', () => {
  it('has text and HTML, says that it was made by a machine, and answers the first of its incident', async () => {
    const server = await startMailServer();
    try {
      const notifier = emailNotifier(
        smtp(server.port, { user: 'u', password: 'p w', replyTo: 'team@orrery.example' }),
      );
      await notifier.send(
        messageWith({
          title: 'First\r\nBcc: x@y',
          text: 'a <b>\nc',
          workspace: 'W\r\nX: y',
          model: 'M',
          level: 'critical',
          incident: { id: 'i1', place: 1 },
        }),
        { address: 'ann@people.example', headers: {} },
        new AbortController().signal,
      );
      await notifier.send(
        messageWith({ incident: { id: 'i1', place: 2 } }),
        { address: 'ann@people.example', headers: {} },
        new AbortController().signal,
      );

      const [first, second] = server.got('ann@people.example');
      const of = (name: string) => first?.headers.get(name);
      expect([
        of('from'),
        of('to'),
        of('reply-to'),
        of('subject'),
        of('auto-submitted'),
        of('x-workspace'),
        of('x-model'),
        of('x-alert-level'),
        of('message-id'),
        of('in-reply-to'),
        of('bcc'),
        of('x'),
      ]).to.deep.equal([
        'Orrery <orrery@orrery.example>',
        'ann@people.example',
        'team@orrery.example',
        'First Bcc: x@y',
        'auto-generated',
        'W X: y',
        'M',
        'critical',
        '<alert-i1.1@orrery.example>',
        undefined,
        undefined,
        undefined,
      ]);
      expect([
        second?.headers.get('message-id'),
        second?.headers.get('in-reply-to'),
        second?.headers.get('references'),
      ]).to.deep.equal([
        '<alert-i1.2@orrery.example>',
        '<alert-i1.1@orrery.example>',
        '<alert-i1.1@orrery.example>',
      ]);
      expect(of('content-type')).to.include('multipart/alternative');
      const body = decoded(first?.body ?? '');
      expect([
        body.includes('text/plain'),
        body.includes('text/html'),
        body.includes('a &lt;b&gt;<br>c'),
        /<img|src=/.test(body),
      ]).to.deep.equal([true, true, true, false]);
      expect([first?.from, first?.to, server.logins()]).to.deep.equal([
        'orrery@orrery.example',
        ['ann@people.example'],
        ['u p w', 'u p w'],
      ]);
    } finally {
      await server.stop();
    }
  });
});

describe('what an on-call service is told', () => {
  const events = (...messages: Parameters<typeof messageWith>[0][]) =>
    messages.map((message) => toPagerDuty(messageWith(message), 'key'));

  it('has one key for an incident, which its last message resolves', () => {
    const [begun, worse, over] = events(
      { level: 'warning', incident: { id: 'i', place: 1 } },
      { level: 'critical', incident: { id: 'i', place: 2 } },
      { level: 'info', incident: { id: 'i', place: 3, isOver: true } },
    );

    expect(
      [begun, worse, over].map((one) => [
        one?.event_action,
        one?.dedup_key,
        one?.routing_key,
        one?.payload.severity,
      ]),
    ).to.deep.equal([
      ['trigger', 'i', 'key', 'warning'],
      ['trigger', 'i', 'key', 'critical'],
      ['resolve', 'i', 'key', 'info'],
    ]);
  });

  it('is within the bounds of its receiver, and tells of facts and links', () => {
    const [event] = events({
      title: 't'.repeat(5000),
      workspace: 'w',
      model: 'm',
      facts: [{ name: 'Value', value: '0.31' }],
      links: [{ label: 'Open', address: 'https://orrery.example/model' }],
    });

    expect(event?.payload.summary).to.have.length(1024);
    expect(event?.payload.source).to.equal('w / m');
    expect(event?.payload).to.have.nested.property('custom_details.Value', '0.31');
    expect(event?.links).to.deep.equal([{ href: 'https://orrery.example/model', text: 'Open' }]);
  });

  it('is nothing without the routing key of a service', async () => {
    const target = { address: 'http://127.0.0.1:9/', headers: {} };
    const never = new AbortController().signal;
    const reply = await pagerDutyNotifier(judging).send(messageWith(), target, never);

    expect([reply.retry, reply.error]).to.deep.equal([
      false,
      'the channel has no routing key; it is written as its secret',
    ]);
  });
});
