import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { Message, Notifier, NotifyTarget } from '#ports/notify';

/** How a receiver behaves: takes it, with a long reply; refuses it for good; fails this time; asks to be left alone for 7 s; closes the connection. */
export type Behaviour = 'accepts' | 'refuses' | 'fails' | 'limits' | 'hangs up';

export interface NotifierStage {
  readonly notifier: Notifier;
  /** A receiver that behaves so; `undefined` where receivers of this kind never do. */
  target(behaviour: Behaviour): NotifyTarget | undefined;
  /** What receivers were told so far, each as the text that it was sent. */
  told(): readonly string[];
  /** What can be no address of this kind. */
  readonly wrongAddress: string;
  stop(): Promise<void>;
}

/** Words that every kind of receiver shows as they are, and a secret that no error may tell. */
const [word, secret] = ['kingfisher', 'opensesame'];

/** A message of which only what matters is named. */
export const messageWith = (given: Partial<Message> = {}): Message => ({
  id: '01890000-0000-7000-8000-000000000001',
  at: 1_700_000_000_000,
  title: `The ${word} flies`,
  facts: [{ name: 'Status', value: 'QA' }],
  links: [{ label: 'Open', address: 'https://orrery.example/model' }],
  record: JSON.stringify({ title: `The ${word} flies` }),
  ...given,
});

/** What every notifier keeps to. */
export const notifierContract = (open: () => Promise<NotifierStage>): void => {
  let stage: NotifierStage;
  before(async () => {
    stage = await open();
  });
  after(() => stage?.stop());
  const never = new AbortController().signal;
  const send = (behaviour: Behaviour, message = messageWith()) => {
    const target = stage.target(behaviour);
    return target === undefined ? undefined : stage.notifier.send(message, target, never);
  };

  it('has a kind, and refuses with a sentence an address that is none', () => {
    expect(stage.notifier.kind).to.match(/^[a-z][a-z0-9-]{0,59}$/);
    let thrown: unknown;
    try {
      stage.notifier.check({ address: stage.wrongAddress });
    } catch (refusal) {
      thrown = refusal;
    }

    expect(isFailure(thrown) && [thrown.kind, thrown.message.length > 5]).to.deep.equal([
      'invalid',
      true,
    ]);
    const target = stage.target('accepts');
    if (target !== undefined) stage.notifier.check(target);
  });

  it('delivers to the receiver once, and reports success', async () => {
    const before = stage.told().length;

    const reply = await send('accepts');

    expect([reply?.error, reply?.retry, typeof reply?.durationMs]).to.deep.equal([
      undefined,
      false,
      'number',
    ]);
    expect(
      stage
        .told()
        .slice(before)
        .map((text) => text.includes(word)),
    ).to.deep.equal([true]);
  });

  it('keeps at most 2 KiB of the reply', async () => {
    expect((await send('accepts'))?.text.length).to.be.at.most(2048);
  });

  it('delivers any text: empty, long, of every script, with line breaks and symbols', async () => {
    const odd = 'é🦄\u202e<b>"\'&\\`*_[x](http://x)</b>\r\n.\r\nQUIT\t\u0007<@everyone>';
    const messages = [
      messageWith({ title: '', facts: [], links: [] }),
      messageWith({
        title: odd,
        text: odd,
        facts: [{ name: odd, value: odd }],
        links: [{ label: odd, address: 'https://orrery.example/é?a=<b>' }],
        workspace: odd,
        model: odd,
        level: 'critical',
        record: JSON.stringify({ odd }),
      }),
      messageWith({
        title: 't'.repeat(50_000),
        text: '🦄'.repeat(50_000),
        facts: Array.from({ length: 200 }, () => ({
          name: 'n'.repeat(5000),
          value: '&<>'.repeat(5000),
        })),
        links: Array.from({ length: 50 }, () => ({
          label: 'l'.repeat(500),
          address: `https://orrery.example/${'a'.repeat(3000)}`,
        })),
      }),
    ];
    for (const message of messages) {
      const before = stage.told().length;
      const reply = await send('accepts', message);
      expect([reply?.error, stage.told().length - before]).to.deep.equal([undefined, 1]);
    }
  });

  it('reports a refusal as permanent', async () => {
    const reply = await send('refuses');

    expect([reply?.retry, typeof reply?.error]).to.deep.equal([false, 'string']);
  });

  it('reports a failure and a closed connection as worth another attempt', async () => {
    for (const behaviour of ['fails', 'hangs up'] as const) {
      const reply = await send(behaviour);
      expect([behaviour, reply?.retry, typeof reply?.error]).to.deep.equal([
        behaviour,
        true,
        'string',
      ]);
    }
  });

  it('reports how long the receiver asks to wait', async () => {
    const reply = await send('limits');

    if (reply !== undefined) expect([reply.retry, reply.retryAfter]).to.deep.equal([true, 7]);
    else expect(stage.target('limits')).to.equal(undefined);
  });

  it('reveals no secret of its target in its report', async () => {
    for (const behaviour of ['refuses', 'fails', 'hangs up'] as const) {
      const target = stage.target(behaviour);
      if (target === undefined) continue;
      const reply = await stage.notifier.send(
        messageWith(),
        { ...target, headers: { ...target.headers, Authorization: secret }, secret },
        never,
      );
      expect(JSON.stringify(reply)).not.to.include(secret);
    }
  });
};

/** A stage for a notifier that sends requests to addresses of the web. */
export interface WebNotifierStage extends NotifierStage {
  /** The headers of every request that receivers got so far, in order; names in lower case. */
  headers(): readonly Readonly<Record<string, string | readonly string[] | undefined>>[];
  /** An address whose receiver accepts, and which the `outgoing` that the notifier was opened with refuses. */
  readonly refusedAddress: string;
  /** An address whose receiver redirects to that of a target that accepts. */
  readonly redirectingAddress: string;
  /** An address whose receiver does not answer for a minute. */
  readonly silentAddress: string;
  /** Whether receivers of this kind can be given a secret. */
  readonly takesSecret: boolean;
}

const metadataAddress = 'http://169.254.169.254/latest/meta-data';

/** What a notifier keeps to besides that sends requests to addresses of the web. */
export const webNotifierContract = (open: () => Promise<WebNotifierStage>): void => {
  let stage: WebNotifierStage;
  before(async () => {
    stage = await open();
  });
  after(() => stage?.stop());
  const never = new AbortController().signal;
  const at = (address: string): NotifyTarget => ({ address, headers: {} });
  const accepting = (): NotifyTarget => {
    const target = stage.target('accepts');
    if (target === undefined) throw new Error('the stage has no receiver that accepts');
    return target;
  };
  /** The headers that a receiver gets of a target with these members. */
  const headersFor = async (more: Partial<NotifyTarget>) => {
    await stage.notifier.send(messageWith(), { ...accepting(), ...more }, never);
    return stage.headers().at(-1) ?? {};
  };

  it('refuses an address at which clouds tell a machine its credentials', () => {
    let thrown: unknown;
    try {
      stage.notifier.check({ address: metadataAddress });
    } catch (refusal) {
      thrown = refusal;
    }

    expect(isFailure(thrown) && thrown.kind).to.equal('invalid');
  });

  it('sends nothing to an address that the address check refuses, and reports that as permanent', async () => {
    const before = stage.told().length;

    const reply = await stage.notifier.send(messageWith(), at(stage.refusedAddress), never);

    expect([reply.retry, typeof reply.error, stage.told().length - before]).to.deep.equal([
      false,
      'string',
      0,
    ]);
  });

  it('sends the headers of its target', async () => {
    expect((await headersFor({ headers: { 'X-Own': 'kept' } }))['x-own']).to.equal('kept');
  });

  it('shows the receiver that it knows the secret of the target, where receivers take one', async () => {
    if (!stage.takesSecret) return;
    const [first, other] = [
      await headersFor({ secret, secretAs: 'signature' }),
      await headersFor({ secret: `${secret}2`, secretAs: 'signature' }),
    ];
    const differing = Object.keys(first).filter(
      (name) => name !== 'date' && first[name] !== other[name],
    );

    expect(differing).not.to.deep.equal([]);
    expect(JSON.stringify([first, other])).not.to.include(secret);
    expect((await headersFor({ secret, secretAs: 'authorization' }))['authorization']).to.equal(
      secret,
    );
  });

  it('follows no redirect', async () => {
    const before = stage.told().length;

    const reply = await stage.notifier.send(messageWith(), at(stage.redirectingAddress), never);

    expect([typeof reply.error, stage.told().length - before]).to.deep.equal(['string', 1]);
  });

  it('gives up when the signal aborts, and reports that without rejecting', async () => {
    const given = new AbortController();
    setTimeout(() => {
      given.abort();
    }, 50);

    const reply = await stage.notifier.send(messageWith(), at(stage.silentAddress), given.signal);

    expect([typeof reply.error, reply.durationMs < 3000]).to.deep.equal(['string', true]);
  });
};
