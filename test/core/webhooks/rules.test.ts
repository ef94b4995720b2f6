import { expect } from 'chai';
import {
  checkTriggers,
  chooseTrigger,
  decide,
  mask,
  maskAddress,
  maskHeaders,
  resolveTarget,
} from '#core/webhooks/rules';
import { isFailure } from '#ports/failure';

const [second, hour] = [1000, 3_600_000];
const refusal = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (thrown) {
    return isFailure(thrown) && thrown.kind === 'invalid' ? thrown.message : String(thrown);
  }
  return undefined;
};

describe('what becomes of a delivery', () => {
  const failed = { error: 'e', retry: true };
  /** When a receiver that always fails is tried, from the first attempt on. */
  const attemptsOf = (kind: string): readonly number[] => {
    const times = [0];
    for (;;) {
      const now = times.at(-1) ?? 0;
      const { state, retryAt } = decide(
        kind,
        { attempts: times.length, createdAt: 0 },
        failed,
        now,
      );
      if (state !== 'WAITING' || retryAt === undefined) return times;
      times.push(retryAt);
    }
  };

  it('is tried eight times over 24 hours, mail five times over four', () => {
    expect(attemptsOf('http')).to.deep.equal(
      [0, 1, 11, 71, 671, 4271, 22_271, 86_000].map((at) => at * second),
    );
    expect(attemptsOf('slack')).to.have.length(8);
    expect(attemptsOf('email')).to.deep.equal([0, 60, 660, 4260, 14_400].map((at) => at * second));
  });

  it('is done when it arrived, and given up when it was refused', () => {
    expect(decide('http', { attempts: 1, createdAt: 0 }, { retry: false }, 5)).to.deep.equal({
      state: 'DELIVERED',
      retryAt: undefined,
    });
    expect(
      decide('http', { attempts: 1, createdAt: 0 }, { error: 'e', retry: false, retryAfter: 5 }, 5),
    ).to.deep.equal({ state: 'FAILED', retryAt: undefined });
  });

  it('waits as long as the receiver asks, and never less than it would have', () => {
    const next = (retryAfter: number) =>
      (decide('http', { attempts: 1, createdAt: 0 }, { ...failed, retryAfter }, 10).retryAt ?? 0) -
      10;

    expect([next(0), next(30), next(1e9)]).to.deep.equal([second, 30 * second, 24 * hour]);
  });

  it('is tried once, and not again, when its time was over before its turn came', () => {
    expect(decide('http', { attempts: 1, createdAt: 0 }, failed, 24 * hour).state).to.equal(
      'FAILED',
    );
    expect(decide('http', { attempts: 1, createdAt: 0 }, failed, 24 * hour - 1).state).to.equal(
      'WAITING',
    );
  });
});

describe('triggers', () => {
  it('are stage, tag and status changes where none are named', () => {
    expect(
      [
        'MODEL_VERSION_CREATED',
        'MODEL_VERSION_STAGE_CHANGED',
        'MODEL_VERSION_TAG_CHANGED',
        'MODEL_VERSION_STATUS_CHANGED',
        'MODEL_DELETED',
      ].map((one) => chooseTrigger(undefined, [one])),
    ).to.deep.equal([
      undefined,
      'MODEL_VERSION_STAGE_CHANGED',
      'MODEL_VERSION_TAG_CHANGED',
      'MODEL_VERSION_STATUS_CHANGED',
      undefined,
    ]);
  });

  it('choose one name for a change that has two', () => {
    const change = ['MODEL_VERSION_TAG_CHANGED', 'MODEL_VERSION_STAGE_CHANGED'];

    expect([
      chooseTrigger(undefined, change),
      chooseTrigger(['MODEL_VERSION_STAGE_CHANGED'], change),
      chooseTrigger(['MODEL_DELETED'], change),
    ]).to.deep.equal(['MODEL_VERSION_TAG_CHANGED', 'MODEL_VERSION_STAGE_CHANGED', undefined]);
  });

  it('are known, each once', () => {
    expect([checkTriggers([]), checkTriggers(['MODEL_DELETED', 'MODEL_DELETED'])]).to.deep.equal([
      undefined,
      ['MODEL_DELETED'],
    ]);
    expect(refusal(() => checkTriggers(['MODEL_DELETED', 'nope']))).to.include(
      'MODEL_VERSION_CREATED',
    );
  });
});

describe('secrets of a target', () => {
  it('are shown as a mask, and the rest as it is', () => {
    expect(
      maskHeaders({
        Authorization: 'Bearer x',
        'X-Api-Key': '1',
        cookie: 'a',
        'X-Team': 'machine learning',
        Accept: 'application/vnd.github+json',
        'X-GitHub-Api-Version': '2022-11-28',
        'X-Odd': 'ghp_16CharactersOrMore0',
        'X-Env': 'prod',
      }),
    ).to.deep.equal({
      Authorization: mask,
      'X-Api-Key': mask,
      cookie: mask,
      'X-Team': 'machine learning',
      Accept: 'application/vnd.github+json',
      'X-GitHub-Api-Version': '2022-11-28',
      'X-Odd': mask,
      'X-Env': 'prod',
    });
    expect([
      maskAddress('slack', 'https://hooks.example/T0/B0/secret'),
      maskAddress('email', 'ann@people.example'),
    ]).to.deep.equal([`https://hooks.example/${mask}`, 'ann@people.example']);
  });

  const before = {
    address: 'https://a.example/x',
    headers: { Authorization: 'old' },
    secret: 's',
    secretAs: 'signature' as const,
  };

  it('stay where they are masked, or left out of a merge, and go where they are left out of a replacement', () => {
    expect(
      resolveTarget(
        { address: before.address, headers: { authorization: mask, b: ' c ' }, secret: mask },
        before,
        false,
      ),
    ).to.deep.equal({
      address: before.address,
      headers: { authorization: 'old', b: 'c' },
      secret: 's',
      secretAs: 'signature',
    });
    expect(resolveTarget({ address: 'https://a.example/y' }, before, true)).to.deep.equal({
      ...before,
      address: 'https://a.example/y',
    });
    expect(resolveTarget({ address: before.address }, before, false)).to.deep.equal({
      address: before.address,
      headers: {},
    });
    expect(
      resolveTarget({ address: before.address, secret: '', headers: {} }, before, true),
    ).to.deep.equal({ address: before.address, headers: {} });
  });

  it('are asked for again when the host, its port or its scheme changes', () => {
    for (const address of [
      'https://b.example/x',
      'https://a.example:8443/x',
      'http://a.example/x',
      'https://a.example.evil/x',
    ]) {
      expect(
        refusal(() => resolveTarget({ address }, before, true)),
        address,
      ).to.include('must be given again');
      expect(
        refusal(() => resolveTarget({ address, headers: {}, secret: mask }, before, false)),
        address,
      ).to.include('secret must be given again');
      expect(
        resolveTarget({ address, headers: {}, secret: 'new' }, before, true).secret,
        address,
      ).to.equal('new');
    }
  });

  it('cannot be masked where there are none', () => {
    expect(
      refusal(() => resolveTarget({ address: before.address, secret: mask }, undefined, false)),
    ).to.include('there is none');
    expect(
      refusal(() => resolveTarget({ address: before.address, headers: { X: mask } }, before, true)),
    ).to.include('header X');
  });
});
