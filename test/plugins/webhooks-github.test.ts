// The form that GitHub takes: what it refuses is refused here, when saved and before it is sent.
import { expect } from 'chai';
import { githubForm, kindOf } from '#plugins/webhooks-github/form';
import type { WebhookPayload } from '#ports/webhook-forms';
import { isFailure } from '#ports/failure';

const repository = 'https://api.github.com/repos/acme/models/dispatches';
const workflow = 'https://api.github.com/repos/acme/models/actions/workflows/deploy.yml/dispatches';

const payload = (given: Partial<WebhookPayload> = {}): WebhookPayload => ({
  eventId: 'e1',
  eventType: 'MODEL_VERSION_STATUS_CHANGED',
  timestamp: 5,
  test: false,
  workspaceName: 'w',
  registryModelName: 'm',
  registryModelId: 'mi',
  registryModelItemId: 'vi',
  version: '1.2.0',
  stages: ['a'],
  addedStages: [],
  removedStages: [],
  tags: ['a', 'b'],
  status: 'QA',
  previousStatus: 'None',
  previousValue: { registryModelStatus: 'None' },
  newValue: { registryModelStatus: 'QA' },
  comment: null,
  userName: 'ann',
  experimentKey: 'k',
  experimentUrl: 'http://o/e',
  modelUrl: 'http://o/m',
  restApiUrl: 'http://o/r',
  downloadUrl: 'http://o/d',
  assets: 2,
  ...given,
});
const write = (
  url: string,
  given: Partial<WebhookPayload> = {},
  options: Readonly<Record<string, unknown>> = {},
) =>
  JSON.parse(githubForm.write(payload(given), { url, options }).body) as Readonly<
    Record<string, never>
  >;
const refusal = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (thrown) {
    return isFailure(thrown) && thrown.kind === 'invalid' ? thrown.message : String(thrown);
  }
  return undefined;
};
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`input_${i}`, '$.version']));

describe('the GitHub form of webhooks', () => {
  it('is told from the address, on GitHub Enterprise too', () => {
    expect(
      [
        repository,
        workflow,
        'https://git.acme.example/api/v3/repos/a/b/dispatches',
        'https://git.acme.example/api/v3/repos/a/b/actions/workflows/17/dispatches',
      ].map(kindOf),
    ).to.deep.equal(['repository', 'workflow', 'repository', 'workflow']);
    for (const url of [
      'https://api.github.com/',
      'https://api.github.com/repos/a/dispatches',
      'https://api.github.com/repos/a/b/actions/dispatches',
      `${workflow}/x`,
      'https://a/x/repos/a/b/dispatches',
      'nowhere',
    ])
      expect(
        refusal(() => githubForm.check({ url, options: {} })),
        url,
      ).to.include('/repos/{owner}/{repo}/dispatches');
  });

  it('dispatches to a repository with exactly ten members, everything else in the last', () => {
    const { event_type, client_payload } = write(repository) as unknown as {
      event_type: string;
      client_payload: Record<string, unknown>;
    };

    expect(event_type).to.equal('model-registry');
    expect(Object.keys(client_payload)).to.deep.equal([
      'eventType',
      'workspaceName',
      'registryModelName',
      'version',
      'status',
      'tags',
      'previousValue',
      'newValue',
      'url',
      'details',
    ]);
    expect([
      client_payload['url'],
      client_payload['tags'],
      client_payload['details'],
    ]).to.deep.equal([
      'http://o/m',
      ['a', 'b'],
      {
        eventId: 'e1',
        timestamp: 5,
        test: false,
        registryModelId: 'mi',
        registryModelItemId: 'vi',
        stages: ['a'],
        addedStages: [],
        removedStages: [],
        previousStatus: 'None',
        comment: null,
        userName: 'ann',
        experimentKey: 'k',
        experimentUrl: 'http://o/e',
        restApiUrl: 'http://o/r',
        downloadUrl: 'http://o/d',
        assets: 2,
      },
    ]);
    expect(write(repository, {}, { eventType: 'e'.repeat(100) })['event_type']).to.equal(
      'e'.repeat(100),
    );
  });

  it('stays below 64 KB, giving up details first', () => {
    const sizeOf = (given: Partial<WebhookPayload>) => {
      const { client_payload } = write(repository, given) as unknown as {
        client_payload: Record<string, unknown>;
      };
      return { bytes: Buffer.byteLength(JSON.stringify(client_payload)), kept: client_payload };
    };
    const heavy = sizeOf({ comment: 'é'.repeat(33_000) });
    const heavier = sizeOf({ newValue: ['x'.repeat(70_000)] });
    const heaviest = sizeOf({ tags: Array.from({ length: 1000 }, () => 't'.repeat(200)) });

    for (const { bytes, kept } of [heavy, heavier, heaviest])
      expect([bytes < 65_536, Object.keys(kept).length, kept['details']]).to.deep.equal([
        true,
        10,
        null,
      ]);
    expect([
      heavy.kept['tags'],
      heavy.kept['newValue'],
      heavier.kept['newValue'],
      heavier.kept['tags'],
      heaviest.kept['tags'],
    ]).to.deep.equal([['a', 'b'], { registryModelStatus: 'QA' }, null, ['a', 'b'], []]);
    expect(refusal(() => write(repository, { modelUrl: 'u'.repeat(70_000) }))).to.include(
      'smaller than 65536 bytes',
    );
  });

  it('dispatches to a workflow with texts as its inputs', () => {
    const { ref, inputs } = write(workflow) as unknown as {
      ref: string;
      inputs: Record<string, string>;
    };

    expect(ref).to.equal('main');
    const { payload: whole, ...others } = inputs;
    expect(others).to.deep.equal({
      event: 'MODEL_VERSION_STATUS_CHANGED',
      workspace: 'w',
      model: 'm',
      version: '1.2.0',
      status: 'QA',
      previous_status: 'None',
      user: 'ann',
      url: 'http://o/m',
    });
    expect(JSON.parse(whole ?? '')).to.deep.equal(payload());
    expect(
      write(
        workflow,
        {},
        {
          ref: 'release/1',
          inputs: {
            all: '$',
            tag: '$.tags[1]',
            now: 'newValue.registryModelStatus',
            count: '$.assets',
            none: '$.no.such',
            comment: 'comment',
          },
        },
      ),
    ).to.deep.equal({
      ref: 'release/1',
      inputs: {
        all: JSON.stringify(payload()),
        tag: 'b',
        now: 'QA',
        count: '2',
        none: '',
        comment: '',
      },
    });
  });

  it('keeps the inputs of a workflow within 65,535 characters', () => {
    for (const given of [
      { comment: 'x'.repeat(70_000) },
      { comment: '"'.repeat(70_000) },
      { tags: Array.from({ length: 1000 }, () => '\\'.repeat(200)) },
    ]) {
      const { inputs } = write(workflow, given) as unknown as { inputs: Record<string, string> };
      expect([
        JSON.stringify(inputs).length <= 65_535,
        Object.keys(inputs).length,
        (inputs['payload'] ?? '').length <= 60_000,
      ]).to.deep.equal([true, 9, true]);
    }
    const { inputs } = write(
      workflow,
      { comment: 'x'.repeat(50_000) },
      { inputs: { a: '$', b: '$', c: '$.comment' } },
    ) as unknown as { inputs: Record<string, string> };
    expect([JSON.stringify(inputs).length <= 65_535, Object.keys(inputs)]).to.deep.equal([
      true,
      ['a', 'b', 'c'],
    ]);
  });

  it('takes 25 inputs and refuses 26, and whatever else GitHub would', () => {
    const options = (url: string, given: Readonly<Record<string, unknown>>) =>
      refusal(() => githubForm.check({ url, options: given }));

    expect([
      options(workflow, { inputs: many(25) }),
      options(workflow, {}),
      options(repository, { eventType: 'x' }),
      options(repository, {}),
    ]).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect(options(workflow, { inputs: many(26) })).to.include('at most 25');
    expect(refusal(() => write(workflow, {}, { inputs: many(26) }))).to.include('at most 25');
    for (const [url, given] of [
      [repository, { eventType: 'e'.repeat(101) }],
      [repository, { eventType: '' }],
      [repository, { inputs: {} }],
      [workflow, { eventType: 'x' }],
      [workflow, { ref: 5 }],
      [workflow, { inputs: [] }],
      [workflow, { inputs: { a: 5 } }],
      [workflow, { inputs: { a: '$..x' } }],
      [workflow, { inputs: { 'a b': '$' } }],
    ] as const)
      expect(options(url, given), JSON.stringify(given)).to.be.a('string');
  });

  it('sends the headers that GitHub asks for, and tries a secondary limit again', () => {
    expect(githubForm.write(payload(), { url: repository, options: {} }).headers).to.deep.equal({
      Accept: 'application/vnd.github+json',
      'X-GitHub-Api-Version': '2022-11-28',
    });
    expect([
      githubForm.retries?.(403, 60),
      githubForm.retries?.(403, undefined),
      githubForm.retries?.(422, 60),
    ]).to.deep.equal([true, false, false]);
  });
});
