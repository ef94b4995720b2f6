// What webhooks and channels do with a whole server around them: the GitHub form, mail, secrets at rest, toggles, a process that is killed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openStorage } from '#config/opening';
import { loadSettings } from '#config/load';
import { startReceiver, type Got, type Receiver, type Told } from '#test/clients/receiver';
import { decoded, startMailServer, type MailServer } from '#test/clients/smtp';
import { callJson, createExperiment, mortalServer, type MortalServer } from './server.js';

const cli = fileURLToPath(new URL('../../config/cli.js', import.meta.url));
const loopback = { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } as const;
const rest = '/api/rest/v2';

const registerModel = async (server: MortalServer, registryModelName: string): Promise<string> => {
  const key = await createExperiment(server);
  const form = new FormData();
  form.set('file', new Blob(['w']), 'w.bin');
  await fetch(
    `${server.url}${rest}/write/experiment/upload-asset?experimentKey=${key}&type=model-element&groupingName=net&fileName=w.bin`,
    { method: 'POST', headers: { authorization: server.key }, body: form },
  );
  const {
    body: { models },
  } = await callJson(server, `${rest}/experiment/model?experimentKey=${key}`);
  const [model] = models as { experimentModelId: string }[]; // the row's reply
  return String(
    (
      await callJson(server, `${rest}/write/registry-model`, {
        experimentModelId: model?.experimentModelId,
        registryModelName,
      })
    ).body['registryModelItemId'],
  );
};
const setStatus = (server: MortalServer, modelItemId: string, status: string) =>
  callJson(server, `${rest}/write/registry-model/item/status`, { modelItemId, status });
const configure = async (server: MortalServer, webhookUrls: readonly object[]): Promise<number> =>
  (
    await fetch(`${server.url}${rest}/webhooks/config`, {
      method: 'PUT',
      headers: { authorization: server.key, 'content-type': 'application/json' },
      body: JSON.stringify({ webhookConfigs: [{ webhookUrls }] }),
    })
  ).status;
const listDeliveries = async (server: MortalServer) =>
  (await callJson(server, `${rest}/webhooks/deliveries?size=100`)).body[
    'content'
  ] as readonly Readonly<Record<string, unknown>>[]; // the row's reply
const settled = async (server: MortalServer, count: number) => {
  for (let tries = 0; tries < 2000; tries++) {
    const found = await listDeliveries(server);
    if (found.length >= count && found.every(({ state }) => state !== 'WAITING')) return found;
    await wait(50);
  } // a killed process holds what it held for a minute
  throw new Error('the deliveries were not settled');
};

describe('webhooks on a server', function () {
  this.timeout(180_000);
  let receiver: Receiver;
  let server: MortalServer | undefined;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await receiver.stop();
    await server?.destroy();
    server = undefined;
  });
  const start = async (settings: Readonly<Record<string, string>>): Promise<MortalServer> => {
    server = await mortalServer({ ...loopback, ...settings });
    await server.start();
    return server;
  };

  describe('for GitHub', () => {
    /** Answers as GitHub does: nothing but what it documents is taken. */
    const github = ({ method, path, headers, body }: Got): Told => {
      if (headers.authorization !== 'Bearer ghp_token')
        return { status: 401, body: '{"message":"Bad credentials"}' };
      if (
        method !== 'POST' ||
        headers['user-agent'] === undefined ||
        headers.accept !== 'application/vnd.github+json' ||
        headers['x-github-api-version'] !== '2022-11-28' ||
        headers['content-type'] !== 'application/json'
      )
        return { status: 403, body: 'forbidden' };
      const given = JSON.parse(body) as Readonly<Record<string, unknown>>;
      const [payload, inputs] = [given['client_payload'], given['inputs']] as [
        object | undefined,
        Readonly<Record<string, unknown>> | undefined,
      ];
      const isEvent =
        path === '/repos/acme/models/dispatches' &&
        Object.keys(given).join() === 'event_type,client_payload' &&
        String(given['event_type']).length <= 100 &&
        Object.keys(payload ?? {}).length <= 10 &&
        JSON.stringify(payload).length < 65_536;
      const isRun =
        path === '/api/v3/repos/acme/models/actions/workflows/deploy.yml/dispatches' &&
        Object.keys(given).join() === 'ref,inputs' &&
        Object.keys(inputs ?? {}).length <= 25 &&
        Object.values(inputs ?? {}).every((one) => typeof one === 'string') &&
        JSON.stringify(inputs).length <= 65_535;
      return {
        status: isEvent || isRun ? 204 : 422,
        body: isEvent || isRun ? '' : '{"message":"Unprocessable"}',
      };
    };
    const header = { Authorization: 'Bearer ghp_token' };
    const paths = [
      '/repos/acme/models/dispatches',
      '/api/v3/repos/acme/models/actions/workflows/deploy.yml/dispatches',
    ] as const;

    it('dispatch events and workflows that it takes', async () => {
      const running = await start({});
      for (const path of paths) receiver.answer(path, github);
      receiver.answer(paths[0], (got, place) =>
        place === 0
          ? { status: 403, headers: { 'Retry-After': '1' }, body: 'secondary rate limit' }
          : github(got),
      );
      expect(
        await configure(running, [
          {
            url: `${receiver.url}${paths[0]}`,
            header,
            githubActions: true,
            githubOptions: { eventType: 'model-moved' },
          },
          {
            url: `${receiver.url}${paths[1]}`,
            header,
            githubActions: true,
            githubOptions: { ref: 'v1', inputs: { model: '$.registryModelName', to: '$.status' } },
          },
        ]),
      ).to.equal(204);
      await setStatus(running, await registerModel(running, 'Net'), 'QA');

      const found = await settled(running, 2);
      expect(
        found.map(({ state, status, attempts }) => [state, status, attempts]),
      ).to.have.deep.members([
        ['DELIVERED', 204, 2],
        ['DELIVERED', 204, 1],
      ]);
      const [event, run] = [
        receiver.got(paths[0]).at(-1)?.json ?? {},
        receiver.got(paths[1])[0]?.json,
      ];
      expect([
        event['event_type'],
        (event['client_payload'] as Record<string, unknown>)['status'],
        run,
      ]).to.deep.equal(['model-moved', 'QA', { ref: 'v1', inputs: { model: 'Net', to: 'QA' } }]);
      expect(JSON.stringify(found)).not.to.include('ghp_token');
      expect(
        await configure(running, [{ url: `${receiver.url}/elsewhere`, githubActions: true }]),
      ).to.equal(400);
    });

    it('are sent as they are while its toggle is off, and keep their flag', async () => {
      const running = await start({ ORRERY_TOGGLE_MODEL_REGISTRY_WEBHOOKS_GITHUB: 'off' });
      expect(
        await configure(running, [
          { url: `${receiver.url}${paths[0]}`, header, githubActions: true },
        ]),
      ).to.equal(204);
      await setStatus(running, await registerModel(running, 'Net'), 'QA');

      const [got] = await receiver.until(paths[0], 1);
      expect([got?.json['eventType'], got?.headers.accept]).to.deep.equal([
        'MODEL_VERSION_STATUS_CHANGED',
        '*/*',
      ]);
      const {
        body: { webhookConfigs },
      } = await callJson(running, `${rest}/webhooks/config`);
      expect(
        (webhookConfigs as { webhookUrls: { githubActions: boolean }[] }[])[0]?.webhookUrls[0]
          ?.githubActions,
      ).to.equal(true);
    });
  });

  it('answer 404 while they are switched off, and are there again afterwards', async () => {
    const running = await start({});
    expect(await configure(running, [{ url: `${receiver.url}/x` }])).to.equal(204);
    const toggle = async (enabled: boolean) =>
      fetch(`${running.url}/api/admin/feature-toggles`, {
        method: 'PUT',
        headers: { authorization: running.key, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'registry-webhooks', enabled }),
      });
    await toggle(false);
    expect([
      (await callJson(running, `${rest}/webhooks/config`)).status,
      await configure(running, []),
      (await callJson(running, `${rest}/webhooks/deliveries`)).status,
    ]).to.deep.equal([404, 404, 404]);

    await toggle(true);
    const {
      body: { webhookConfigs },
    } = await callJson(running, `${rest}/webhooks/config`);
    expect(
      (webhookConfigs as { webhookUrls: { url: string }[] }[])[0]?.webhookUrls.map(
        ({ url }) => url,
      ),
    ).to.deep.equal([`${receiver.url}/x`]);
  });

  it('lose nothing when the process is killed between changes and their delivery, and keep their order', async () => {
    const running = await start({});
    const secretBefore = async () =>
      configure(running, [{ url: `${receiver.url}/killed`, secret: 's' }]);
    expect(await secretBefore()).to.equal(204);
    const item = await registerModel(running, 'Net');
    receiver.answer('/killed', (_, place) => (place % 3 === 1 ? { status: 500 } : { afterMs: 60 }));
    const stages = Array.from({ length: 12 }, (_, i) => `stage-${i}`);
    for (const stage of stages)
      expect(
        (
          await callJson(
            running,
            `${rest}/write/registry-model/item/stage?modelItemId=${item}&stage=${stage}`,
          )
        ).status,
      ).to.equal(200);
    await wait(400);
    await running.kill(false);
    await running.start();

    const found = await settled(running, 12);
    expect(found.map(({ state }) => state)).to.deep.equal(stages.map(() => 'DELIVERED'));
    const seen = receiver
      .got('/killed')
      .map(({ json }) => String((json['addedStages'] as string[])[0]));
    expect(seen.filter((stage, place) => seen.indexOf(stage) === place)).to.deep.equal(stages);
    const places = seen.map((stage) => stages.indexOf(stage));
    // Who was killed knows not of the last that it sent, and goes back once; each process keeps the order.
    expect(
      places.filter((place, at) => place < (places[at - 1] ?? 0)).length,
      places.join(' '),
    ).to.be.at.most(1);
  });

  it('keep no secret readable in the database or the log, and the key for its owner alone', async () => {
    const running = await start({ ORRERY_LOG_LEVEL: 'debug' });
    const secrets = [
      'swordfish-secret',
      'Bearer token-of-header',
      'path-of-the-room',
      'query-of-the-hook',
      'secret-of-channel',
      'header-of-channel',
    ];
    expect(
      await configure(running, [
        {
          url: `${receiver.url}/hook?token=query-of-the-hook`,
          secret: 'swordfish-secret',
          header: { Authorization: 'Bearer token-of-header' },
        },
      ]),
    ).to.equal(204);
    const channel = await callJson(running, `${rest}/write/channels`, {
      kind: 'http',
      name: 'room',
      target: `${receiver.url}/path-of-the-room`,
      secret: 'secret-of-channel',
      headers: { 'X-Auth': 'header-of-channel' },
    });
    expect(channel.status).to.equal(200);
    await callJson(running, `${rest}/write/channels/${String(channel.body['channelId'])}/test`, {});
    await setStatus(running, await registerModel(running, 'Net'), 'QA');
    expect(await settled(running, 2)).to.have.length(2);
    expect(receiver.got().map(({ path }) => path)).to.include.members([
      '/hook?token=query-of-the-hook',
      '/path-of-the-room',
    ]);

    const opened = await openStorage(loadSettings({ ORRERY_DATA: running.data }), false);
    let dump = '';
    try {
      await opened.storage.transfer.read(async (snapshot) => {
        for (const { name } of snapshot.tables)
          for await (const page of snapshot.rows(name))
            dump += page
              .map((row) =>
                row
                  .map((cell) =>
                    cell instanceof Uint8Array
                      ? Buffer.from(cell).toString('latin1')
                      : String(cell),
                  )
                  .join('\t'),
              )
              .join('\n');
      });
    } finally {
      await opened.storage.close();
      await opened.stop();
    }
    expect(dump).to.include('MODEL_VERSION_STATUS_CHANGED');
    for (const secret of [
      ...secrets,
      readFileSync(join(running.data, 'seal-key'), 'utf8').trim(),
    ]) {
      expect(dump, secret).not.to.include(secret);
      expect(running.output(), secret).not.to.include(secret);
    }
    expect(statSync(join(running.data, 'seal-key')).mode & 0o777).to.equal(0o600);
    for (const path of ['/webhooks/deliveries', '/channels'])
      for (const secret of secrets.filter((one) => one !== 'query-of-the-hook'))
        expect(
          JSON.stringify((await callJson(running, `${rest}${path}`)).body),
          secret,
        ).not.to.include(secret);
  });

  describe('by mail', () => {
    let mail: MailServer;
    let folder: string;
    beforeEach(async () => {
      mail = await startMailServer();
      folder = mkdtempSync(join(tmpdir(), 'orrery-smtp-'));
      writeFileSync(join(folder, 'password'), 'p w\n');
    });
    afterEach(async () => {
      await mail.stop();
      rmSync(folder, { recursive: true });
    });
    const smtp = () => ({
      ORRERY_SMTP_HOST: '127.0.0.1',
      ORRERY_SMTP_PORT: String(mail.port),
      ORRERY_SMTP_TLS: 'none',
      ORRERY_SMTP_USER: 'u',
      ORRERY_SMTP_PASSWORD_FILE: join(folder, 'password'),
      ORRERY_SMTP_FROM: 'Orrery <o@orrery.example>',
    });

    it('tell administrators of a request and the one who filed it of the decision, and who made a webhook that it was switched off', async () => {
      const running = await start(smtp());
      const orrery = (...words: readonly string[]) =>
        JSON.parse(
          execFileSync(process.execPath, [cli, 'user', 'add', ...words], {
            env: { PATH: process.env['PATH'], ORRERY_DATA: running.data },
            encoding: 'utf8',
          }),
        ) as { readonly apiKey: string };
      const boss = orrery('boss', '--workspace', 'team', '--email', 'boss@people.example');
      const ann = orrery('ann', '--workspace', 'team', '--email', 'ann@people.example');
      const as = (key: string) => ({ ...running, key });
      const item = await registerModel(as(ann.apiKey), 'Net');
      const filed = await setStatus(as(ann.apiKey), item, 'Production');
      const [asked] = await mail.until('boss@people.example', 1);
      expect([
        asked?.headers.get('subject'),
        asked?.headers.get('x-workspace'),
        decoded(asked?.body ?? '').includes('Asked by: ann'),
        mail.logins()[0],
      ]).to.deep.equal([
        'Status change to Production asked for model Net 1.0.0',
        'team',
        true,
        'u p w',
      ]);
      await callJson(
        as(boss.apiKey),
        `${rest}/write/registry-model/status-request/${String(filed.body['requestId'])}/approve`,
        { comment: 'well done' },
      );

      const [decided] = await mail.until('ann@people.example', 1);
      expect([
        decided?.headers.get('subject'),
        decoded(decided?.body ?? '').includes('well done'),
      ]).to.deep.equal(['Status change to Production approved for model Net 1.0.0', true]);

      receiver.answer('/refuses', () => ({ status: 410 }));
      expect(
        await configure(as(boss.apiKey), [
          { url: `${receiver.url}/refuses`, triggers: ['MODEL_UPDATED'] },
        ]),
      ).to.equal(204);
      const { body: model } = await callJson(
        as(ann.apiKey),
        `${rest}/registry-model/compact-details?workspaceName=team&modelName=Net`,
      );
      for (let i = 0; i < 51; i++)
        await callJson(as(ann.apiKey), `${rest}/write/registry-model/update`, {
          registryModelId: model['registryModelId'],
          description: `d${i}`,
        });
      await mail.until('boss@people.example', 2);
      expect(mail.got('boss@people.example')[1]?.headers.get('subject')).to.equal(
        'A webhook of team was switched off',
      );
      const {
        body: { webhookConfigs },
      } = await callJson(as(boss.apiKey), `${rest}/webhooks/config`);
      const [webhook] =
        (webhookConfigs as { webhookUrls: Record<string, unknown>[] }[])[0]?.webhookUrls ?? [];
      expect([
        webhook?.['enabled'],
        String(webhook?.['fault']).includes('50 deliveries in a row'),
        receiver.got('/refuses').length,
      ]).to.deep.equal([false, true, 50]);
      expect(
        (
          await callJson(as(boss.apiKey), `${rest}/webhooks/config`, {
            webhookConfigs: [{ webhookUrls: [{ url: `${receiver.url}/refuses`, enabled: true }] }],
          }).catch(() => ({ status: 204 }))
        ).status,
      ).to.equal(204);
      await receiver.until('/refuses', 51);
    });

    it('and to rooms tell of what a workspace asks for, each in its own form', async () => {
      const running = await start(smtp());
      const add = (kind: string, target: string) =>
        callJson(running, `${rest}/write/channels`, {
          kind,
          name: kind,
          target,
          triggers: ['MODEL_VERSION_STATUS_CHANGED'],
        });
      for (const kind of ['slack', 'teams', 'http'])
        expect((await add(kind, `${receiver.url}/${kind}`)).status).to.equal(200);
      expect((await add('email', 'list@people.example')).status).to.equal(200);
      expect([
        (await add('pigeon', 'coop')).status,
        (await add('email', 'nobody')).status,
        (await add('slack', 'http://10.0.0.1/')).status,
      ]).to.deep.equal([400, 400, 400]);
      await setStatus(running, await registerModel(running, 'Net'), 'QA');

      const [slack, teams, http, [letter]] = [
        (await receiver.until('/slack', 1))[0],
        (await receiver.until('/teams', 1))[0],
        (await receiver.until('/http', 1))[0],
        await mail.until('list@people.example', 1),
      ];
      expect([
        slack?.json['text'],
        teams?.json['type'],
        http?.json['eventType'],
        letter?.headers.get('subject'),
      ]).to.deep.equal([
        'Status of Net 1.0.0 changed to QA',
        'message',
        'MODEL_VERSION_STATUS_CHANGED',
        'Status of Net 1.0.0 changed to QA',
      ]);
      const {
        body: { channels },
      } = await callJson(running, `${rest}/channels`);
      expect(
        (channels as Record<string, unknown>[]).map(({ kind, target }) => [kind, target]),
      ).to.deep.equal([
        ['slack', `${receiver.url}/…`],
        ['teams', `${receiver.url}/…`],
        ['http', `${receiver.url}/…`],
        ['email', 'list@people.example'],
      ]);
    });
  });
});
