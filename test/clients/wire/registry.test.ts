// The model registry as the Java client and tools use it, and approval between people.
import { expect } from 'chai';
import yauzl from 'yauzl';
import { makePeople, type People } from '#test/api/people';
import { callerOf, dressAs, type WireCaller, type WireReply } from './caller.js';
import { isRefused, isSaved, onEveryStorage, rest, write, type Stage } from './stage.js';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (json: Row, member: string) => json[member] as readonly Row[]; // the caller names a list of objects
const q = (words: Readonly<Record<string, unknown>>): string =>
  `?${new URLSearchParams(Object.fromEntries(Object.entries(words).map(([name, value]) => [name, String(value)]))).toString()}`;

/** Files of a zip by their names. */
const unzip = (bytes: Buffer): Promise<ReadonlyMap<string, string>> =>
  new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (fault, zip) => {
      if (fault !== null) {
        reject(fault);
        return;
      }
      const files = new Map<string, string>();
      zip.on('entry', (entry: yauzl.Entry) =>
        zip.openReadStream(entry, async (broken, stream) => {
          if (broken !== null) {
            reject(broken);
            return;
          }
          const pieces: Buffer[] = [];
          for await (const piece of stream) pieces.push(piece as Buffer); // no encoding is set on it
          files.set(entry.fileName, Buffer.concat(pieces).toString());
          zip.readEntry();
        }),
      );
      zip.on('end', () => {
        resolve(files);
      });
      zip.readEntry();
    });
  });

let made = 0;
const freshName = (): string => `Wire Model ${++made}`;

/** What a case does over and over, as one caller in one workspace. */
const clientOf = (caller: () => WireCaller, workspaceName: () => string) => {
  const post = (path: string, body: object) =>
    caller().send('POST', `${write}/registry-model${path}`, body);
  const get = (path: string, words: Row) =>
    caller().get(`${rest}/registry-model${path}${q(words)}`);
  const named = (modelName: string, more: Row = {}) => ({
    workspaceName: workspaceName(),
    modelName,
    ...more,
  });
  const log = async (key: string, model: string, files: Readonly<Record<string, string>>) => {
    for (const [fileName, content] of Object.entries(files))
      isSaved(
        await caller().sendFile(
          `${write}/experiment/upload-asset${q({ experimentKey: key, type: 'model-element', groupingName: model, fileName, extension: '' })}`,
          Buffer.from(content),
          'file',
        ),
      );
  };
  const modelOf = async (key: string, name: string): Promise<Row> =>
    rowsOf(
      (await caller().get(`${rest}/experiment/model?experimentKey=${key}`)).json,
      'models',
    ).find((one) => one['modelName'] === name) ?? {};
  return {
    post,
    get,
    named,
    log,
    modelOf,
    write: (path: string, words: Row) => caller().get(`${write}/registry-model${path}${q(words)}`),
    details: async (modelName: string) => (await get('/details', named(modelName))).json,
    count: async () =>
      (await get('/count', { workspaceName: workspaceName() })).json['registryModelCount'],
    /** Logs a model in an experiment and registers it; answers the ids. */
    async register(
      key: string,
      registryModelName: string,
      more: Row = {},
    ): Promise<{ readonly model: string; readonly version: string }> {
      await log(key, 'net', { 'weights.bin': 'weights' });
      const { experimentModelId } = await modelOf(key, 'net');
      const reply = await post('', { experimentModelId, registryModelName, ...more });
      isSaved(reply);
      return {
        model: String(reply.json['registryModelId']),
        version: String(reply.json['registryModelItemId']),
      };
    },
  };
};
type Client = ReturnType<typeof clientOf>;

const statusOf = async (client: Client, modelName: string, version = '1.0.0') =>
  (await client.get('/item/details', client.named(modelName, { version }))).json;

onEveryStorage(
  'the registry of the Java client',
  (stage) => {
    const java = clientOf(
      () => stage.java,
      () => stage.server.workspace,
    );

    it('registers a model with its default version, and a second one without stages', async () => {
      const [key, name, before] = [await stage.make(), freshName(), await java.count()];
      await java.log(key, 'net', {
        'folder/weights.bin': 'weights',
        'folder/deep/config.json': '{}',
      });
      const model = await java.modelOf(key, 'net');
      expect([model['experimentKey'], model['registryRecords']]).to.deep.equal([key, []]);

      const first = await java.post('', {
        experimentModelId: model['experimentModelId'],
        registryModelName: name,
        description: 'says',
        isPublic: false,
        comment: 'first',
        stages: ['production', 'tested'],
      });
      isSaved(first);
      const second = await java.post('/item', {
        experimentModelId: model['experimentModelId'],
        registryModelName: name.toUpperCase(),
        version: '1.0.1',
        comment: 'second',
      });
      isSaved(second);

      expect([second.json['registryModelId'], await java.count()]).to.deep.equal([
        first.json['registryModelId'],
        Number(before) + 1,
      ]);
      const details = await java.details(name.toLowerCase());
      expect([
        details['registryModelId'],
        details['modelName'],
        details['description'],
        details['numberOfVersions'],
        details['isPublic'],
        details['isAutoGenerated'],
        details['isMonitored'],
        typeof details['workspaceId'],
        details['imagePath'],
        details['userName'],
      ]).to.deep.equal([
        first.json['registryModelId'],
        name,
        'says',
        2,
        false,
        false,
        false,
        'string',
        null,
        'admin',
      ]);
      const [newer, older] = rowsOf(details, 'versions');
      expect([
        newer?.['version'],
        newer?.['stages'],
        newer?.['comment'],
        older?.['version'],
        older?.['stages'],
        older?.['comment'],
      ]).to.deep.equal(['1.0.1', [], 'second', '1.0.0', ['production', 'tested'], 'first']);
      expect([
        older?.['registryModelItemId'],
        older?.['userName'],
        Number(older?.['createdAt']) > 0,
        Number(older?.['lastUpdated']) > 0,
        typeof older?.['restApiUrl'],
        older?.['status'],
        older?.['tags'],
      ]).to.deep.equal([
        first.json['registryModelItemId'],
        'admin',
        true,
        true,
        'string',
        'None',
        ['production', 'tested'],
      ]);
      expect(older?.['experimentModel']).to.deep.equal({
        experimentModelId: model['experimentModelId'],
        experimentModelName: 'net',
        modelName: 'net',
        experimentKey: key,
      });
      expect(
        rowsOf(older ?? {}, 'assets').map((asset) => [
          asset['fileName'],
          asset['dir'],
          asset['type'],
          asset['metadata'],
        ]),
      ).to.deep.equal([
        ['folder/weights.bin', 'models/net', 'model-element', null],
        ['folder/deep/config.json', 'models/net', 'model-element', null],
      ]);
      expect(
        rowsOf(await java.modelOf(key, 'net'), 'registryRecords').map((record) => [
          record['registryModelName'],
          record['version'],
          typeof record['createdAt'],
        ]),
      ).to.deep.equal([
        [name, '1.0.0', 'number'],
        [name, '1.0.1', 'number'],
      ]);
      const listed = rowsOf(
        (await java.get('', { workspaceName: stage.server.workspace })).json,
        'registryModels',
      ).find((one) => one['modelName'] === name);
      expect([
        (listed?.['latestVersion'] as Row)['version'],
        (listed?.['latestVersion'] as Row)['stages'],
        (listed?.['latestVersion'] as Row)['metadata'],
      ]).to.deep.equal(['1.0.1', [], []]); // an overview holds its latest version
    });

    it('refuses a model that is there, one that is not, a version that is there, and what is no version', async () => {
      const [key, name] = [await stage.make(), freshName()];
      await java.register(key, name);
      const { experimentModelId } = await java.modelOf(key, 'net');

      isRefused(
        await java.post('', { experimentModelId, registryModelName: name.toUpperCase() }),
        400,
        7777777,
      );
      isRefused(
        await java.post('/item', {
          experimentModelId,
          registryModelName: freshName(),
          version: '1.0.0',
        }),
        400,
        42008,
      );
      isRefused(
        await java.post('/item', { experimentModelId, registryModelName: name, version: '1.0.0' }),
        400,
        7777777,
      );
      isRefused(
        await java.post('/item', { experimentModelId, registryModelName: name, version: 'v2' }),
        400,
        42001,
      );
      isRefused(
        await java.post('', {
          experimentModelId: `${experimentModelId as string}0`,
          registryModelName: freshName(),
        }),
        400,
        7777777,
      );
      isRefused(await java.post('', { experimentModelId, registryModelName: '--' }), 400, 7777777);
      expect(rowsOf(await java.details(name), 'versions')).to.have.length(1);
    });

    it('adds a stage once, takes it away, and replaces the list', async () => {
      const name = freshName();
      const { version } = await java.register(await stage.make(), name, { stages: 'staging' });
      const stages = async () => (await statusOf(java, name))['stages'];
      expect(await stages()).to.deep.equal(['staging']);

      isSaved(await java.write('/item/stage', { modelItemId: version, stage: 'production' }));
      isRefused(
        await java.write('/item/stage', { modelItemId: version, stage: 'production' }),
        400,
        7777777,
      );
      expect(await stages()).to.deep.equal(['staging', 'production']);
      isSaved(await java.write('/item/stage/delete', { modelItemId: version, stage: 'staging' }));
      isRefused(
        await java.write('/item/stage/delete', { modelItemId: version, stage: 'staging' }),
        400,
        7777777,
      );
      expect(await stages()).to.deep.equal(['production']);
      isSaved(
        await java.post('/item/update', { registryModelItemId: version, stages: ['b', 'a'] }),
      );
      isSaved(await java.post('/item/update', { registryModelItemId: version }));
      isSaved(
        await java.post('/item/update', { registryModelItemId: version, comment: 'changed' }),
      );
      const after = await statusOf(java, name);
      expect([after['stages'], after['tags'], after['comment']]).to.deep.equal([
        ['b', 'a'],
        ['b', 'a'],
        'changed',
      ]);
      isRefused(
        await java.post('/item/update', {
          registryModelItemId: '01890000-0000-7000-8000-000000000000',
          comment: 'x',
        }),
        400,
        42006,
      );
    });

    it('moves a stage from the versions that have it to another, once, whoever asks at the same time', async () => {
      const name = freshName();
      const key = await stage.make();
      const { version: first } = await java.register(key, name, {
        stages: ['production', 'kept'],
      });
      const { experimentModelId } = await java.modelOf(key, 'net');
      const add = async (version: string) =>
        (await java.post('/item', { experimentModelId, registryModelName: name, version })).json[
          'registryModelItemId'
        ];
      const [second, third] = [await add('1.1.0'), await add('1.2.0')];
      const stagesOf = async () =>
        Object.fromEntries(
          rowsOf(await java.details(name), 'versions').map((one) => [
            one['version'],
            one['stages'],
          ]),
        );
      const move = (modelItemId: unknown) =>
        java.post('/item/stage/move', { modelItemId, stage: 'production' });

      expect((await move(second)).json['takenFrom']).to.deep.equal(['1.0.0']);
      expect(await stagesOf()).to.deep.equal({
        '1.0.0': ['kept'],
        '1.1.0': ['production'],
        '1.2.0': [],
      });
      expect((await move(second)).json['takenFrom']).to.deep.equal([]);
      await Promise.all([move(first), move(third), move(second), move(third)]);
      const holders = Object.values(await stagesOf()).filter((one) =>
        (one as readonly string[]).includes('production'),
      ); // stages are a list
      expect(holders).to.have.length(1);
      isRefused(
        await java.post('/item/stage/move', { modelItemId: third, stage: ' ' }),
        400,
        7777777,
      );
    });

    it('changes only what is sent of a model, and keeps notes', async () => {
      const [name, other] = [freshName(), freshName()];
      const { model } = await java.register(await stage.make(), name, {
        description: 'says',
        isPublic: true,
      });
      await java.register(await stage.make(), other);
      const facts = async (modelName: string) => {
        const found = await java.details(modelName);
        return [found['modelName'], found['description'], found['isPublic']];
      };

      isSaved(await java.post('/update', { registryModelId: model, description: 'more' }));
      expect(await facts(name)).to.deep.equal([name, 'more', true]);
      isSaved(
        await java.post('/update', {
          registryModelId: model,
          registryModelName: `New ${name}`,
          isPublic: false,
        }),
      );
      expect(await facts(`new-${name}`)).to.deep.equal([`New ${name}`, 'more', false]);
      isRefused(await java.get('/details', java.named(name)), 400, 42008);
      isRefused(
        await java.post('/update', {
          registryModelId: model,
          registryModelName: other.toLowerCase(),
        }),
        400,
        7777777,
      );
      isRefused(
        await java.post('/update', {
          registryModelId: '01890000-0000-7000-8000-000000000000',
          description: 'x',
        }),
        400,
        42008,
      );

      expect((await java.get('/notes', java.named(`New ${name}`))).json).to.deep.equal({
        notes: '',
      });
      isSaved(
        await java.post('/notes', {
          workspaceName: stage.server.workspace,
          registryModelName: `new ${name.toLowerCase()}`,
          notes: '# é\n',
        }),
      );
      expect((await java.get('/notes', java.named(`New ${name}`))).json).to.deep.equal({
        notes: '# é\n',
      });
      isRefused(
        await java.post('/notes', {
          workspaceName: stage.server.workspace,
          registryModelName: 'nobody',
          notes: '',
        }),
        400,
        42008,
      );
      isRefused(await java.get('/notes', java.named('nobody')), 400, 42008);
    });

    it('downloads an archive with relative paths, of a version, a stage, or the highest', async () => {
      const [key, name] = [await stage.make(), freshName()];
      await java.log(key, 'net', { 'folder/deep/config.json': '{"a":1}' });
      await java.register(key, name, { stages: ['old'] });
      await java.log(key, 'net', { 'folder/late.txt': 'late' });
      const { experimentModelId } = await java.modelOf(key, 'net');
      isSaved(
        await java.post('/item', { experimentModelId, registryModelName: name, version: '1.10.0' }),
      );
      isSaved(
        await java.post('/item', { experimentModelId, registryModelName: name, version: '1.9.0' }),
      );
      const download = async (more: Row) => {
        const reply = await java.get('/item/download', java.named(name, more));
        expect([reply.status, reply.type]).to.deep.equal([200, 'application/octet-stream']);
        return [...(await unzip(reply.bytes))];
      };
      const [old, all] = [
        [
          ['folder/deep/config.json', '{"a":1}'],
          ['weights.bin', 'weights'],
        ],
        [
          ['folder/deep/config.json', '{"a":1}'],
          ['weights.bin', 'weights'],
          ['folder/late.txt', 'late'],
        ],
      ];

      expect(await download({ version: '1.0.0' })).to.deep.equal(old);
      expect(await download({ stage: 'old' })).to.deep.equal(old);
      expect(await download({})).to.deep.equal(all);
      expect(
        rowsOf((await java.get('/latest_version', java.named(name))).json, 'versions').map(
          (one) => one['version'],
        ),
      ).to.deep.equal(['1.10.0']);
      isRefused(
        await java.get('/item/download', java.named(name, { version: '7.0.0' })),
        400,
        42008,
      );
      isRefused(
        await java.get('/item/download', java.named(name, { stage: 'nobody' })),
        400,
        42008,
      );
      isRefused(await java.get('/item/download', java.named('nobody')), 400, 42008);
    });

    it('keeps what a version was registered with when a file is replaced under its name and id', async () => {
      const [key, name] = [await stage.make(), freshName()];
      await java.register(key, name);
      const words = {
        experimentKey: key,
        type: 'model-element',
        groupingName: 'net',
        fileName: 'weights.bin',
        overwrite: true,
      };
      isSaved(
        await stage.java.sendFile(
          `${write}/experiment/upload-asset${q(words)}`,
          Buffer.from('changed'),
          'file',
        ),
      );

      const instructions = (
        await java.get('/item/download-instructions', java.named(name, { version: '1.0.0' }))
      ).json;
      const [asset] = rowsOf(rowsOf(instructions, 'versions')[0] ?? {}, 'assets');
      const read = (assetId: unknown) =>
        stage.java.get(`${rest}/experiment/asset/get-asset${q({ experimentKey: key, assetId })}`);
      expect((await read(asset?.['assetId'])).bytes.toString()).to.equal('weights');
      expect(
        (
          await stage.java.get(String(asset?.['link']).slice(stage.server.url.length))
        ).bytes.toString(),
      ).to.equal('weights');
      const [current] = rowsOf(
        await stage.get('model/asset/list', key, '&modelName=net'),
        'assets',
      );
      expect((await read(current?.['assetId'])).bytes.toString()).to.equal('changed');
      expect(
        (await unzip((await java.get('/item/download', java.named(name))).bytes)).get(
          'weights.bin',
        ),
      ).to.equal('weights');
    });

    it('deletes a version and a model, once each', async () => {
      const [key, name, before] = [await stage.make(), freshName(), await java.count()];
      const { version } = await java.register(key, name);
      const { experimentModelId } = await java.modelOf(key, 'net');
      const second = await java.post('/item', {
        experimentModelId,
        registryModelName: name,
        version: '2.0.0',
      });

      isSaved(
        await java.write('/item/delete', { modelItemId: second.json['registryModelItemId'] }),
      );
      isRefused(
        await java.write('/item/delete', { modelItemId: second.json['registryModelItemId'] }),
        400,
        42006,
      );
      expect(
        rowsOf(await java.details(name), 'versions').map((one) => one['version']),
      ).to.deep.equal(['1.0.0']);
      isSaved(await java.write('/item/delete', { modelItemId: version }));
      const details = await java.details(name);
      expect([details['numberOfVersions'], details['versions']]).to.deep.equal([0, []]);
      isRefused(await java.get('/latest_version', java.named(name)), 400, 42008);
      isSaved(await java.write('/delete', java.named(name.toUpperCase())));
      isRefused(await java.write('/delete', java.named(name)), 400, 42008);
      expect([
        await java.count(),
        rowsOf(await java.modelOf(key, 'net'), 'registryRecords'),
      ]).to.deep.equal([before, []]);
      isRefused(await java.get('/count', { workspaceName: 'no such workspace' }), 400, 90219);
      await java.register(key, name);
    });

    it('finds the highest of fifty versions, of all, of a major and of a stage', async () => {
      const [key, name] = [await stage.make(), freshName()];
      await java.register(key, name, { version: '0.0.1' });
      const { experimentModelId } = await java.modelOf(key, 'net');
      const numbers = Array.from({ length: 49 }, (_, i) => `${i % 3}.${i + 1}.0`);
      for (const [i, version] of numbers.entries())
        isSaved(
          await java.post('/item', {
            experimentModelId,
            registryModelName: name,
            version,
            stages: i % 10 === 0 ? ['tenth'] : [],
          }),
        );
      const latest = async (more: Row) =>
        rowsOf((await java.get('/latest_version', java.named(name, more))).json, 'versions').map(
          (one) => one['version'],
        );

      expect([
        await latest({}),
        await latest({ versionMajor: 1 }),
        await latest({ versionMajor: 0, versionMinor: 0 }),
        await latest({ stage: 'tenth' }),
      ]).to.deep.equal([['2.48.0'], ['1.47.0'], ['0.0.1'], ['2.21.0']]);
      expect(
        rowsOf(await java.details(name), 'versions')
          .map((one) => one['version'])
          .slice(0, 3),
      ).to.deep.equal(['2.48.0', '2.45.0', '2.42.0']);
      expect(
        rowsOf((await java.get('/items', java.named(name, { tag: 'tenth' }))).json, 'items').map(
          (one) => one['version'],
        ),
      ).to.deep.equal(['2.21.0', '1.41.0', '1.11.0', '0.31.0', '0.1.0']);
    });

    it('lets two who register the same new model at once both have their version', async () => {
      const [key, name] = [await stage.make(), freshName()];
      await java.log(key, 'net', { 'weights.bin': 'weights' });
      const create = (version: string) =>
        stage.python.send('POST', `${write}/registry-model/item/create`, {
          experimentKey: key,
          experimentModelName: 'net',
          registryModelName: name,
          version,
          registryModelDescription: null,
          versionComment: null,
          tags: null,
          status: null,
          publicModel: null,
        });

      const replies = await Promise.all(['1.0.0', '3.0.0', '2.0.0'].map(create));

      for (const reply of replies) isSaved(reply);
      const details = await java.details(name);
      expect([
        details['numberOfVersions'],
        rowsOf(details, 'versions').map((one) => one['version']),
      ]).to.deep.equal([3, ['3.0.0', '2.0.0', '1.0.0']]);
      expect(
        rowsOf((await java.get('/latest_version', java.named(name))).json, 'versions')[0]?.[
          'version'
        ],
      ).to.equal('3.0.0');
    });
  },
  { alone: true },
);

/** A model of `home`'s workspace, and what each of its people does with it. */
const withPeople = (stage: Stage) => {
  let people: People;
  before(async () => {
    people = await makePeople(stage.server);
  });
  const as = (apiKey: () => string) =>
    clientOf(
      () => callerOf(stage.server.url, dressAs({ apiKey: apiKey() }).python),
      () => people.home.workspace,
    );
  const [home, member, viewer, stranger] = [
    as(() => people.home.apiKey),
    as(() => people.member.apiKey),
    as(() => people.viewer.apiKey),
    as(() => people.stranger.apiKey),
  ];
  const make = async (client: Client, more: Row = {}) => {
    const name = freshName();
    const reply = await callerOf(
      stage.server.url,
      dressAs({ apiKey: people.home.apiKey }).python,
    ).send('POST', `${write}/experiment/create`, {
      workspaceName: people.home.workspace,
      projectName: 'wire',
    });
    const key = String(reply.json['experimentKey']);
    return { name, key, ...(await client.register(key, name, more)) };
  };
  const decide = (
    client: Client,
    requestId: unknown,
    verdict: string,
    body: Row = {},
  ): Promise<WireReply> => client.post(`/status-request/${String(requestId)}/${verdict}`, body);
  const pending = async (client: Client, more: Row = {}) =>
    (await client.get('/status-requests', { workspaceName: people.home.workspace, ...more })).json;
  return {
    get people() {
      return people;
    },
    home,
    member,
    viewer,
    stranger,
    make,
    decide,
    pending,
  };
};

onEveryStorage(
  'approval of statuses',
  (stage) => {
    const cast = withPeople(stage);
    const { home, member, viewer, stranger, make, decide, pending } = cast;
    const ask = async (client: Client, version: string, status: string, comment?: string) => {
      const reply = await client.post('/item/status', {
        modelItemId: version,
        status,
        ...(comment === undefined ? {} : { comment }),
      });
      isSaved(reply, 'status change requested');
      expect(reply.json['state']).to.equal('PENDING');
      return String(reply.json['requestId']);
    };

    it('files a request for a member and makes the change for an administrator', async () => {
      const { name, version } = await make(member);
      const requestId = await ask(member, version, 'Production', 'please');
      expect([
        (await statusOf(home, name))['status'],
        (await statusOf(home, name))['pendingStatus'],
      ]).to.deep.equal(['None', 'Production']);

      const listed = await pending(member, { modelName: name.toUpperCase(), state: 'PENDING' });
      expect([listed['page'], listed['total']]).to.deep.equal([1, 1]);
      const [row] = rowsOf(listed, 'content');
      expect([
        row?.['requestId'],
        row?.['version'],
        row?.['status'],
        row?.['previousStatus'],
        row?.['comment'],
        row?.['userName'],
        row?.['registryModelName'],
        row?.['modelItemId'],
      ]).to.deep.equal([
        requestId,
        '1.0.0',
        'Production',
        'None',
        'please',
        cast.people.member.name,
        name,
        version,
      ]);

      const approved = await decide(home, requestId, 'approve', { comment: 'well' });
      isSaved(approved);
      expect([
        approved.json['state'],
        (await statusOf(home, name))['status'],
        (await statusOf(home, name))['pendingStatus'],
      ]).to.deep.equal(['APPROVED', 'Production', null]);
      const history = (
        await stage.python.send('POST', `${rest}/registry-model/history/item`, {
          registryModelItemId: version,
          groupedBy: 'DAY',
        })
      ).json;
      expect(
        Object.values(history)
          .flat()
          .map((entry) => (entry as Row)['actionType']),
      ).to.deep.equal([
        'MODEL_VERSION_STATUS_REQUEST_APPROVED',
        'MODEL_VERSION_STATUS_CHANGED',
        'MODEL_VERSION_STATUS_REQUEST_CHANGE',
        'MODEL_VERSION_CREATED',
      ]); // lists of entries
      isSaved(await home.post('/item/status', { modelItemId: version, status: 'QA' }));
      expect((await statusOf(home, name))['status']).to.equal('QA');
    });

    it('refuses approval by members and by the requester, and a refusal without a comment', async () => {
      const { name, version } = await make(home);
      const own = await home.post('/item/status-request', { modelItemId: version, status: 'QA' });
      isSaved(own, 'status change requested');
      const requestId = own.json['requestId'];

      expect((await decide(member, requestId, 'approve')).status).to.equal(403);
      expect((await decide(viewer, requestId, 'approve')).status).to.equal(403);
      expect((await decide(home, requestId, 'approve')).status).to.equal(403);
      expect((await decide(stranger, requestId, 'approve')).status).to.equal(404);
      isRefused(await decide(home, requestId, 'reject'), 400, 7777777);
      expect((await decide(member, requestId, 'cancel')).status).to.equal(403);
      expect((await decide(home, requestId, 'reject', { comment: 'no' })).json['state']).to.equal(
        'REJECTED',
      );
      expect([
        (await statusOf(home, name))['status'],
        (await decide(home, requestId, 'approve')).status,
        (await decide(home, requestId, 'cancel')).status,
      ]).to.deep.equal(['None', 409, 409]);
      const [row] = rowsOf(await pending(home, { modelName: name }), 'content');
      expect([row?.['state'], row?.['decidedBy'], row?.['decisionComment']]).to.deep.equal([
        'REJECTED',
        cast.people.home.name,
        'no',
      ]);
    });

    it('approves a request once, whoever comes at the same time', async () => {
      const { name, version } = await make(member);
      const requestId = await ask(member, version, 'QA');

      const replies = await Promise.all([1, 2, 3].map(() => decide(home, requestId, 'approve')));

      expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
      expect((await statusOf(home, name))['status']).to.equal('QA');
    });

    it('keeps one request of each member for a version, and closes those that a change makes void', async () => {
      const { name, version } = await make(member);
      const [first, second] = [
        await ask(member, version, 'QA'),
        await ask(member, version, 'Staging'),
      ];
      const states = async () =>
        new Map(
          rowsOf(await pending(home, { modelName: name }), 'content').map((row) => [
            row['requestId'],
            row['state'],
          ]),
        );
      expect([(await states()).get(first), (await states()).get(second)]).to.deep.equal([
        'SUPERSEDED',
        'PENDING',
      ]);
      expect((await decide(home, first, 'approve')).status).to.equal(409);

      isSaved(await home.post('/item/status', { modelItemId: version, status: 'Staging' }));
      expect((await states()).get(second)).to.equal('APPROVED');
      const third = await ask(member, version, 'Archived');
      isSaved(await home.post('/item/status', { modelItemId: version, status: 'None' }));
      expect((await states()).get(third)).to.equal('SUPERSEDED');
      const fourth = await ask(member, version, 'QA');
      expect((await decide(member, fourth, 'cancel')).json['state']).to.equal('CANCELLED');
      isRefused(
        await member.post('/item/status-request', { modelItemId: version, status: 'None' }),
        400,
        7777777,
      );
      isRefused(
        await member.post('/item/status', { modelItemId: version, status: 'Anything' }),
        400,
        7777777,
      );
    });

    it('gives an exclusive status to one version, and asks for approval of what a version is registered with', async () => {
      const { name, key, version } = await make(home);
      isSaved(await home.post('/item/status', { modelItemId: version, status: 'Production' }));

      const reply = await member.post('/item/create', {
        experimentKey: key,
        experimentModelName: 'net',
        registryModelName: name,
        version: '2.0.0',
        status: 'Production',
      });
      isSaved(reply);
      expect([
        (await statusOf(home, name, '2.0.0'))['status'],
        (await statusOf(home, name, '2.0.0'))['pendingStatus'],
      ]).to.deep.equal(['None', 'Production']);
      const [row] = rowsOf(await pending(home, { modelName: name, state: 'PENDING' }), 'content');
      isSaved(await decide(home, row?.['requestId'], 'approve'));

      expect([
        (await statusOf(home, name))['status'],
        (await statusOf(home, name, '2.0.0'))['status'],
      ]).to.deep.equal(['Archived', 'Production']);
    });

    it('reviews a status configuration where that is wanted, and keeps it either way', async () => {
      const { name, version } = await make(home);
      const configure = (body: Row) => home.post(`/item/${version}/status-configuration`, body);
      const read = async () =>
        (await stage.python.get(`${rest}/registry-model/item/${version}/status-configuration`))
          .json;
      expect(await read()).to.deep.equal({
        modelItemId: version,
        status: null,
        isReviewRequired: false,
        statusConfiguration: [],
      });
      const items = [
        { key: 'deployment', value: 'enabled' },
        { key: 'deep', value: { a: [1] } },
      ];

      isSaved(
        await configure({
          status: 'QA',
          isReviewRequired: true,
          statusConfiguration: items,
          comment: 'please',
        }),
        'status change requested',
      );
      expect([
        await read(),
        (await statusOf(home, name))['status'],
        (await statusOf(home, name))['pendingStatus'],
      ]).to.deep.equal([
        { modelItemId: version, status: 'QA', isReviewRequired: true, statusConfiguration: items },
        'None',
        'QA',
      ]);
      isSaved(
        await configure({ status: 'Staging', isReviewRequired: false, statusConfiguration: [] }),
      );
      expect([(await read())['status'], (await statusOf(home, name))['status']]).to.deep.equal([
        'Staging',
        'Staging',
      ]);
      isRefused(
        await configure({ status: 'Nowhere', isReviewRequired: false, statusConfiguration: [] }),
        400,
        7777777,
      );
      expect((await read())['status']).to.equal('Staging');
    });

    it('leaves the deleting of models to administrators', async () => {
      const { name, version } = await make(member);

      expect((await member.write('/delete', member.named(name))).status).to.equal(403);
      isRefused(await viewer.write('/delete', viewer.named(name)), 403, 7000011);
      isRefused(await stranger.write('/delete', stranger.named(name)), 400, 42008);
      isSaved(await member.write('/item/delete', { modelItemId: version }));
      isSaved(await home.write('/delete', home.named(name)));
    });

    it('shows a public model and its files to anybody, and lets nobody else change it', async () => {
      const { name, model, version } = await make(home);
      const read = async () => [
        (await stranger.get('/details', stranger.named(name))).status,
        (await stranger.get('/item/download', stranger.named(name))).status,
        (await stranger.get('/item/download-instructions', stranger.named(name))).status,
      ];
      expect(await read()).to.deep.equal([400, 400, 400]);

      isSaved(await home.post('/update', { registryModelId: model, isPublic: true }));

      expect(await read()).to.deep.equal([200, 200, 200]);
      const [asset] = rowsOf(
        rowsOf(
          (await stranger.get('/item/download-instructions', stranger.named(name))).json,
          'versions',
        )[0] ?? {},
        'assets',
      );
      const open = (apiKey: string) =>
        fetch(String(asset?.['link']), { headers: { Authorization: apiKey } });
      expect(await (await open(cast.people.stranger.apiKey)).text()).to.equal('weights');
      isRefused(
        await stranger.post('/item/update', { registryModelItemId: version, comment: 'x' }),
        400,
        42006,
      );
      isRefused(
        await stranger.post('/item/status', { modelItemId: version, status: 'QA' }),
        400,
        42006,
      );
      isSaved(await home.post('/update', { registryModelId: model, isPublic: false }));
      expect([...(await read()), (await open(cast.people.stranger.apiKey)).status]).to.deep.equal([
        400, 400, 400, 400,
      ]);
    });

    it('takes other statuses from an administrator of the installation', async () => {
      const { name, version } = await make(member);
      const admin = callerOf(stage.server.url, dressAs(stage.server).python);
      const statuses = [
        { name: 'Neu', colour: '#fff', requiresApproval: false, exclusive: true },
        { name: 'None', colour: '#000', requiresApproval: true, exclusive: false },
      ];
      expect(
        (
          await callerOf(
            stage.server.url,
            dressAs({ apiKey: cast.people.home.apiKey }).python,
          ).send('PUT', '/api/admin/registry/statuses', { statuses })
        ).status,
      ).to.equal(403);

      expect(
        (await admin.send('PUT', '/api/admin/registry/statuses', { statuses })).json,
      ).to.deep.equal({ statuses });

      expect(
        (await member.get('/allowed_status_values', { workspaceName: cast.people.home.workspace }))
          .json,
      ).to.deep.equal({ allowedStatus: ['Neu', 'None'] });
      isSaved(await member.post('/item/status', { modelItemId: version, status: 'Neu' }));
      expect((await statusOf(home, name))['status']).to.equal('Neu');
      isRefused(
        await admin.send('PUT', '/api/admin/registry/statuses', { statuses: [] }),
        400,
        7777777,
      );
      isRefused(
        await member.post('/item/status', { modelItemId: version, status: 'QA' }),
        400,
        7777777,
      );
    });
  },
  { env: { ORRERY_LOG_LEVEL: 'error' } },
);

onEveryStorage(
  'a registry that counts downloads',
  (stage) => {
    const java = clientOf(
      () => stage.java,
      () => stage.server.workspace,
    );

    it('lets each user download once in a minute, and says how long to wait', async () => {
      const people = await makePeople(stage.server);
      const name = freshName();
      await java.register(await stage.make(), name, { isPublic: true });
      const download = (apiKey: string) =>
        fetch(`${stage.server.url}${rest}/registry-model/item/download${q(java.named(name))}`, {
          headers: { Authorization: apiKey },
        });

      const [first, second] = [
        await download(stage.server.apiKey),
        await download(stage.server.apiKey),
      ];

      expect([
        first.status,
        second.status,
        (await download(people.stranger.apiKey)).status,
      ]).to.deep.equal([200, 429, 200]);
      expect(Number(second.headers.get('retry-after'))).to.be.within(1, 60);
      expect(Number(second.headers.get('retry-after-custom'))).to.be.within(0.1, 60);
      expect((await java.get('/item/download-instructions', java.named(name))).status).to.equal(
        200,
      );
    });
  },
  { env: { MODEL_VERSION_THROTTLER_ENABLED: '1' } },
);
