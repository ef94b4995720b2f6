// Webhooks of the registry: their configuration as it is read back, and what arrives at a receiver.
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { startReceiver, type Got, type Receiver } from '../receiver.js';
import { isRefused, isSaved, onEveryStorage, rest, write, type Stage } from './stage.js';

type Row = Readonly<Record<string, unknown>>;
const config = `${rest}/webhooks/config`;
const q = (words: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(words).toString()}`;
const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

let made = 0;
const freshPath = (): string => `/hook-${++made}`;

const driverOf = (stage: Stage, receiver: () => Receiver) => {
  const put = (method: 'POST' | 'PUT', webhookConfigs: unknown) =>
    stage.java.send(method, config, { webhookConfigs });
  const list = async (more: Readonly<Record<string, string>> = {}) =>
    (await stage.java.get(`${config}${q({ workspaceName: stage.server.workspace, ...more })}`))
      .json['webhookConfigs'] as readonly {
      readonly workspaceName: string;
      readonly modelName?: string;
      readonly webhookUrls: readonly Row[];
    }[]; // the row's reply
  const group = (webhookUrls: readonly Row[], modelName?: string) => ({
    workspaceName: stage.server.workspace,
    ...(modelName === undefined ? {} : { modelName }),
    webhookUrls,
  });
  const driver = {
    put,
    list,
    group,
    post: async (webhookUrls: readonly Row[], modelName?: string) => {
      const reply = await put('POST', [group(webhookUrls, modelName)]);
      expect([reply.status, reply.bytes.toString()]).to.deep.equal([204, '']);
    },
    /** Registers a model and gives its name and the id of its version. */
    async register(): Promise<{ readonly name: string; readonly item: string }> {
      const [key, name] = [await stage.make(), `Hooked ${++made}`];
      isSaved(
        await stage.java.sendFile(
          `${write}/experiment/upload-asset${q({ experimentKey: key, type: 'model-element', groupingName: 'net', fileName: 'w.bin', extension: '' })}`,
          Buffer.from('w'),
          'file',
        ),
      );
      const { experimentModelId } =
        (
          (await stage.java.get(`${rest}/experiment/model?experimentKey=${key}`)).json[
            'models'
          ] as Row[]
        )[0] ?? {};
      const reply = await stage.java.send('POST', `${write}/registry-model`, {
        experimentModelId,
        registryModelName: name,
      });
      isSaved(reply);
      return { name, item: String(reply.json['registryModelItemId']) };
    },
    stage: async (item: string, name: string) => {
      isSaved(
        await stage.java.get(
          `${write}/registry-model/item/stage${q({ modelItemId: item, stage: name })}`,
        ),
      );
    },
    status: async (item: string, status: string) => {
      isSaved(
        await stage.java.send('POST', `${write}/registry-model/item/status`, {
          modelItemId: item,
          status,
          comment: 'c',
        }),
      );
    },
    at: (path: string) => `${receiver().url}${path}`,
    deliveries: async (more: Readonly<Record<string, string>> = {}) =>
      (
        await stage.java.get(
          `${rest}/webhooks/deliveries${q({ workspaceName: stage.server.workspace, size: '100', ...more })}`,
        )
      ).json['content'] as readonly Row[], // the row's reply
    test: (webhook: Row, more: Row = {}) =>
      stage.java.send('POST', `${rest}/webhooks/test`, {
        workspaceName: stage.server.workspace,
        webhook,
        ...more,
      }),
  };
  return driver;
};

const verify = ({ headers, body }: Got, secret: string): void => {
  const [, t = '', v1 = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-webhook-signature'])) ?? [];
  expect([
    v1,
    headers['x-hub-signature-256'],
    Math.abs(Date.now() / 1000 - Number(t)) < 60,
  ]).to.deep.equal([hmac(secret, `${t}.${body}`), `sha256=${hmac(secret, body)}`, true]);
};

onEveryStorage(
  'webhooks of the registry',
  (stage) => {
    let receiver: Receiver;
    before(async () => {
      receiver = await startReceiver();
    });
    after(() => (receiver as Receiver | undefined)?.stop()); // not begun where the storage cannot be had
    const driver = driverOf(stage, () => receiver);
    const { put, list, group, post, register, at } = driver;

    it('are added to by POST, replaced by PUT, and read back without their secrets', async () => {
      const { name } = await register();
      const [one, two] = [at(freshPath()), at(freshPath())];
      await post(
        [
          {
            url: one,
            name: 'first',
            header: { Authorization: 'Bearer abc', 'X-Team': 'ml' },
            secret: 'swordfish',
            triggers: ['MODEL_VERSION_CREATED'],
          },
        ],
        name,
      );
      await post([{ url: two }], name);
      await post([{ url: one, name: 'renamed' }], name);

      const [found] = await list({ modelName: name });
      expect([found?.workspaceName, found?.modelName, found?.webhookUrls.length]).to.deep.equal([
        stage.server.workspace,
        name,
        2,
      ]);
      expect(found?.webhookUrls[0]).to.deep.include({
        url: one,
        name: 'renamed',
        header: { Authorization: '…', 'X-Team': 'ml' },
        secret: '…',
        triggers: ['MODEL_VERSION_CREATED'],
        githubActions: false,
        enabled: true,
      });
      expect(found?.webhookUrls[1]).to.deep.include({
        url: two,
        header: {},
        secret: '',
        triggers: [],
      });

      const reply = await put('PUT', [group([{ url: two, name: 'only' }], name)]);
      expect(reply.status).to.equal(204);
      const [after] = await list({ modelName: name });
      expect(
        after?.webhookUrls.map(({ url, name: called, webhookId }) => [url, called, webhookId]),
      ).to.deep.equal([[two, 'only', found?.webhookUrls[1]?.['webhookId']]]);
      expect((await put('PUT', [group([], name)])).status).to.equal(204);
      expect(await list({ modelName: name })).to.deep.equal([]);
    });

    it('take back what they showed, and ask again for the secret when the host changes', async () => {
      const { name } = await register();
      const path = freshPath();
      await post(
        [
          {
            url: at(path),
            secret: 'swordfish',
            header: { 'X-Token': 'abc' },
            triggers: ['MODEL_VERSION_CREATED'],
          },
        ],
        name,
      );
      const shown = (await list({ modelName: name }))[0]?.webhookUrls[0] ?? {};

      expect((await put('PUT', [group([shown], name)])).status).to.equal(204);
      expect((await list({ modelName: name }))[0]?.webhookUrls).to.deep.equal([shown]);
      for (const [method, moved] of [
        ['PUT', { ...shown, url: 'https://elsewhere.example/' }],
        ['POST', { webhookId: shown['webhookId'], url: 'https://elsewhere.example/' }],
        ['PUT', { ...shown, webhookId: undefined, url: 'https://elsewhere.example/' }],
      ] as const) {
        const reply = await put(method, [group([moved], name)]);
        isRefused(reply, 400, 7777777);
      }
      expect((await list({ modelName: name }))[0]?.webhookUrls).to.deep.equal([shown]);
      expect(
        (
          await put('POST', [
            group([{ webhookId: shown['webhookId'], url: `${at(path)}/moved` }], name),
          ])
        ).status,
      ).to.equal(204);
      expect(
        (await list({ modelName: name }))[0]?.webhookUrls.map(({ url, secret }) => [url, secret]),
      ).to.deep.equal([[`${at(path)}/moved`, '…']]);
      expect(
        (
          await put('POST', [
            group(
              [
                {
                  webhookId: shown['webhookId'],
                  url: 'https://elsewhere.example/',
                  secret: 'new',
                  header: {},
                },
              ],
              name,
            ),
          ])
        ).status,
      ).to.equal(204);
    });

    it('refuse what could never be called, and store nothing of such a request', async () => {
      const before = await list();
      const good = { url: at(freshPath()) };
      for (const bad of [
        { url: 'ftp://a.example/' },
        { url: 'nowhere' },
        { url: 'https://user:pass@a.example/' },
        { url: 'http://10.0.0.1/' },
        { url: 'http://[::ffff:10.0.0.1]/' },
        { url: 'http://0xa000001/' },
        { url: 'http://169.254.169.254/latest' },
        { url: 'http://metadata.google.internal/' },
        { url: 'https://a.example/', triggers: ['NO_SUCH'] },
        { url: 'https://a.example/', header: { 'a b': 'c' } },
        { url: 'https://a.example/', header: { a: 'b\r\nc: d' } },
        { url: 'https://a.example/', secret: '…' },
        { url: 'https://a.example/', githubActions: true },
        good,
      ])
        isRefused(await put('POST', [group([good, bad])]), 400, 7777777);
      isRefused(
        await put('POST', [group([good]), { workspaceName: 'nobody', webhookUrls: [] }]),
        400,
        90219,
      );
      isRefused(await put('POST', [group([good]), group([], 'no such model')]), 400, 42008);
      expect((await put('POST', [group([{ url: 'http://10.0.0.1/' }])])).json['msg']).to.include(
        'ORRERY_ALLOW_PRIVATE_TARGETS',
      );

      expect(await list()).to.deep.equal(before);
    });

    it('tell of each change once, signed, with the same members whatever happened', async () => {
      const [{ name, item }, every, own, quiet] = [
        await register(),
        freshPath(),
        freshPath(),
        freshPath(),
      ];
      await post(
        [
          {
            url: at(own),
            secret: 'swordfish',
            header: {
              'X-Team': 'ml',
              Host: 'evil',
              'Content-Type': 'text/plain',
              'user-agent': 'mine',
            },
            triggers: [
              'MODEL_VERSION_TAG_CHANGED',
              'MODEL_VERSION_STATUS_CHANGED',
              'MODEL_VERSION_CREATED',
            ],
          },
          { url: at(quiet), triggers: ['MODEL_DELETED'] },
        ],
        name,
      );
      await post([{ url: at(every) }]);
      await driver.stage(item, 'production');
      await driver.status(item, 'QA');

      const [tagged, moved] = await receiver.until(own, 2);
      const [first, second] = await receiver.until(every, 2);
      if (
        tagged === undefined ||
        moved === undefined ||
        first === undefined ||
        second === undefined
      )
        throw new Error('they were not sent');
      verify(tagged, 'swordfish');
      expect([
        tagged.method,
        tagged.headers['content-type'],
        tagged.headers['x-team'],
        tagged.headers.host,
        tagged.headers['user-agent'],
      ]).to.deep.equal([
        'POST',
        'application/json',
        'ml',
        `127.0.0.1:${String(receiver.port)}`,
        'mine',
      ]);
      expect([
        first.headers['x-webhook-signature'],
        String(first.headers['user-agent']).startsWith('orrery/'),
      ]).to.deep.equal([undefined, true]);
      const {
        eventId,
        timestamp,
        registryModelId,
        experimentKey,
        experimentUrl,
        modelUrl,
        restApiUrl,
        downloadUrl,
        ...rest_
      } = tagged.json;
      expect(rest_).to.deep.equal({
        eventType: 'MODEL_VERSION_TAG_CHANGED',
        test: false,
        workspaceName: stage.server.workspace,
        registryModelName: name,
        registryModelItemId: item,
        version: '1.0.0',
        stages: ['production'],
        addedStages: ['production'],
        removedStages: [],
        tags: ['production'],
        status: 'None',
        previousStatus: null,
        previousValue: [],
        newValue: ['production'],
        comment: null,
        userName: 'admin',
        assets: 1,
      });
      expect(String(eventId)).to.match(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
      expect([
        typeof timestamp,
        typeof registryModelId,
        typeof experimentKey,
        ...[experimentUrl, modelUrl, restApiUrl, downloadUrl].map((link) =>
          String(link).startsWith(stage.server.url),
        ),
      ]).to.deep.equal(['number', 'string', 'string', true, true, true, true]);
      expect([
        moved.json['eventType'],
        moved.json['previousStatus'],
        moved.json['status'],
        moved.json['comment'],
      ]).to.deep.equal(['MODEL_VERSION_STATUS_CHANGED', 'None', 'QA', 'c']);
      expect(Object.keys(moved.json)).to.deep.equal(Object.keys(tagged.json));
      expect([first.json['eventId'], second.json['eventId']]).to.deep.equal([
        eventId,
        moved.json['eventId'],
      ]);
      await put('PUT', [group([])]);
      await wait(700);
      expect([
        receiver.got(own).length,
        receiver.got(every).length,
        receiver.got(quiet).length,
      ]).to.deep.equal([2, 2, 0]);
    });

    it('try again what failed, in order, with the same id, and leave what was refused', async () => {
      const [{ name, item }, path] = [await register(), freshPath()];
      receiver.answer(
        path,
        (_, place) =>
          [
            { status: 500, body: 'oh\0no' },
            { status: 204 },
            { status: 410, body: 'x'.repeat(5000) },
          ][place] ?? { status: 200 },
      );
      await post(
        [{ url: at(path), secret: 'swordfish', header: { Authorization: 'Bearer abcdef' } }],
        name,
      );
      for (const one of ['a', 'b', 'c']) await driver.stage(item, one);

      const got = await receiver.until(path, 4);
      expect(got.map(({ json }) => json['addedStages'])).to.deep.equal([
        ['a'],
        ['a'],
        ['b'],
        ['c'],
      ]);
      expect([
        got[0]?.json['eventId'] === got[1]?.json['eventId'],
        got[0]?.body === got[1]?.body,
        Number(got[1]?.at) - Number(got[0]?.at) >= 990,
      ]).to.deep.equal([true, true, true]);
      let log: readonly Row[] = [];
      for (
        let tries = 0;
        tries < 100 && !(log.length === 3 && log.every(({ state }) => state !== 'WAITING'));
        tries++
      ) {
        log = await driver.deliveries({ modelName: name });
        await wait(25);
      }
      expect(
        log.map(({ state, attempts, status, error }) => [state, attempts, status, error]),
      ).to.deep.equal([
        ['DELIVERED', 1, 200, null],
        ['FAILED', 1, 410, 'the target answered 410'],
        ['DELIVERED', 2, 204, null],
      ]);
      expect(String(log[1]?.['responseBody']).length).to.equal(2048);
      expect(log[0]?.['request']).to.deep.equal({
        method: 'POST',
        url: at(path),
        headers: {
          'Content-Type': 'application/json',
          'X-Webhook-Signature': '…',
          'X-Hub-Signature-256': '…',
          Authorization: '…',
        },
        body: got[3]?.body,
      });
      expect(JSON.stringify(log)).not.to.include('abcdef').and.not.to.include('swordfish');

      const again = await stage.java.send(
        'POST',
        `${rest}/webhooks/deliveries/${String(log[1]?.['deliveryId'])}/redeliver`,
        {},
      );
      isSaved(again);
      const repeated = (await receiver.until(path, 5))[4];
      expect([repeated?.json['eventId'], repeated?.body]).to.deep.equal([
        got[2]?.json['eventId'],
        got[2]?.body,
      ]);
      for (let tries = 0; tries < 100; tries++) {
        log = await driver.deliveries({ modelName: name });
        if (log[0]?.['state'] === 'DELIVERED') break;
        await wait(25);
      }
      expect([
        log[0]?.['deliveryId'],
        log[0]?.['repeats'],
        log[0]?.['state'],
        (await driver.deliveries({ modelName: name, state: 'FAILED' })).length,
      ]).to.deep.equal([again.json['deliveryId'], log[2]?.['deliveryId'], 'DELIVERED', 1]);
    });

    it('hold back only their own queue while a receiver is down or asks to wait', async () => {
      const [one, other, down, up] = [await register(), await register(), freshPath(), freshPath()];
      receiver.answer(down, (got, place) =>
        got.json['registryModelName'] === one.name && place < 50
          ? { status: 429, headers: { 'Retry-After': '60' } }
          : { status: 204 },
      );
      await post([{ url: at(down) }, { url: at(up) }]);
      await driver.stage(one.item, 'a');
      await driver.stage(one.item, 'b');
      await driver.stage(other.item, 'a');

      expect(
        (await receiver.until(up, 3)).map(({ json }) => [
          json['registryModelName'],
          json['addedStages'],
        ]),
      ).to.have.deep.members([
        [one.name, ['a']],
        [one.name, ['b']],
        [other.name, ['a']],
      ]);
      await receiver.until(down, 2);
      await wait(1500);
      expect(
        receiver.got(down).map(({ json }) => [json['registryModelName'], json['addedStages']]),
      ).to.have.deep.members([
        [one.name, ['a']],
        [other.name, ['a']],
      ]);
      const waits = (await driver.deliveries({ modelName: one.name, state: 'WAITING' })).map(
        ({ attempts, nextAttemptAt, lastAttemptAt }) => [
          attempts,
          nextAttemptAt === null ? null : Number(nextAttemptAt) - Number(lastAttemptAt) >= 60_000,
        ],
      );
      expect(waits).to.deep.equal([
        [0, null],
        [1, true],
      ]);
      await put('PUT', [group([])]);
    });

    it('follow no redirect, not to a private address and not elsewhere', async () => {
      const [{ name, item }, path] = [await register(), freshPath()];
      receiver.answer(path, () => ({ status: 302, headers: { Location: at('/redirected') } }));
      await post([{ url: at(path) }], name);
      await driver.stage(item, 'a');

      await receiver.until(path, 1);
      let [delivery] = await driver.deliveries({ modelName: name });
      for (let tries = 0; tries < 100 && delivery?.['state'] === 'WAITING'; tries++) {
        await wait(25);
        [delivery] = await driver.deliveries({ modelName: name });
      }
      expect([
        delivery?.['state'],
        delivery?.['status'],
        delivery?.['error'],
        receiver.got('/redirected').length,
      ]).to.deep.equal(['FAILED', 302, 'the target redirects (302), which is not followed', 0]);
    });

    it('can be tested, saved or not, five times a minute', async () => {
      const path = freshPath();
      receiver.answer(path, () => ({ status: 418, body: 'teapot' }));
      const { name } = await register();
      await post([{ url: at(path), secret: 'swordfish' }], name);

      const saved = await driver.test(
        { url: at(path) },
        { modelName: name, trigger: 'MODEL_VERSION_CREATED' },
      );
      const [got] = receiver.got(path);
      if (got === undefined) throw new Error('it was not called');
      verify(got, 'swordfish');
      expect([
        got.json['test'],
        got.json['eventType'],
        got.json['registryModelName'],
        got.json['workspaceName'],
      ]).to.deep.equal([true, 'MODEL_VERSION_CREATED', name, stage.server.workspace]);
      const { durationMillis, request, ...told } = saved.json;
      expect([saved.status, told, typeof durationMillis, (request as Row)['url']]).to.deep.equal([
        200,
        { status: 418, responseBody: 'teapot', error: 'the target answered 418' },
        'number',
        at(path),
      ]);
      const refused = await driver.test({ url: 'http://192.168.1.1/' });
      expect([
        refused.status,
        refused.json['status'],
        String(refused.json['error']).includes('ORRERY_ALLOW_PRIVATE_TARGETS'),
      ]).to.deep.equal([200, null, true]);
      const nowhere = await driver.test({ url: 'http://127.0.0.1:9/' });
      expect([nowhere.status, nowhere.json['status'], nowhere.json['error']]).to.deep.equal([
        200,
        null,
        'the target refused the connection',
      ]);
      receiver.answer(path, () => ({ hangUp: true }));
      const cut = await driver.test({
        url: at(path),
        header: { Authorization: 'Bearer abc' },
        secret: 's',
        secretAsAuthorization: true,
      });
      expect([
        cut.json['status'],
        cut.json['error'],
        ((cut.json['request'] as Row)['headers'] as Row)['Authorization'],
      ]).to.deep.equal([null, 'the target closed the connection', '…']);
      expect((await driver.test({ url: at(path) })).status).to.equal(200);
      const throttled = await driver.test({ url: at(path) });
      expect([throttled.status, throttled.json['msg']]).to.deep.equal([
        429,
        'a workspace may send 5 tests a minute',
      ]);
    });

    it('are taken away with what waits for them', async () => {
      const [{ name, item }, path] = [await register(), freshPath()];
      receiver.answer(path, () => ({ status: 503 }));
      await post([{ url: at(path) }], name);
      await driver.stage(item, 'a');
      await receiver.until(path, 1);

      expect(
        (
          await fetch(
            `${stage.server.url}${config}${q({ workspaceName: stage.server.workspace, modelName: name })}`,
            { method: 'DELETE', headers: { Authorization: stage.server.apiKey } },
          )
        ).status,
      ).to.equal(204);
      expect(await list({ modelName: name })).to.deep.equal([]);
      await wait(1500);
      expect(receiver.got(path)).to.have.length(1);
    });
  },
  { env: { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } },
);
