// Artifacts as the Java, R and Python clients log and read them, and as strangers try to.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { encodeParts, type SentPart } from '#test/api/sending';
import { freshKey, freshName } from '#test/api/fresh';
import { makePeople, type People } from '#test/api/people';
import { callerOf, type WireCaller, type WireReply } from './caller.js';
import { isRefused, isSaved, onEveryStorage, rest, write } from './stage.js';
import { readZip } from './zips.js';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (json: Row, name: string): readonly Row[] => json[name] as readonly Row[]; // these replies hold lists of objects
const words = (given: Readonly<Record<string, string>>): string =>
  new URLSearchParams(given).toString();

/** The keys that a strict client allows in a version's artifact. */
const artifactKeys = [
  'artifactId',
  'artifactName',
  'artifactType',
  'description',
  'emoji',
  'experimentKey',
  'isPublic',
  'metadata',
  'owner',
  'projectId',
  's3FileSize',
  'tags',
  'version',
  'workspaceId',
  'workspaceName',
];

onEveryStorage('artifacts on the wire', (stage) => {
  let people: People;
  let name = '';
  beforeEach(() => {
    name = freshName('data');
  });
  before('make people', async () => {
    people = await makePeople(stage.server);
  });

  const as = ({ apiKey }: { readonly apiKey: string }): WireCaller =>
    callerOf(stage.server.url, { Authorization: apiKey });
  const upsert = async (
    experimentKey: string,
    more: object = {},
    by = stage.python,
  ): Promise<Row> => {
    const reply = await by.send('POST', `${write}/artifacts/upsert`, {
      artifactName: name,
      artifactType: 'dataset',
      experimentKey,
      ...more,
    });
    isSaved(reply);
    return reply.json;
  };
  const setState = (made: Row, experimentKey: string, state: string, more: object = {}) =>
    stage.python.send('POST', `${write}/artifacts/state`, {
      artifactVersionId: made['artifactVersionId'],
      experimentKey,
      state,
      ...more,
    });
  const version = (given: Readonly<Record<string, string>>, by = stage.python) =>
    by.get(`${rest}/artifacts/version?${words(given)}`);
  const filesOf = async (given: Readonly<Record<string, string>>, by = stage.python) => {
    const reply = await by.get(`${rest}/artifacts/version/files?${words(given)}`);
    expect([reply.status, Object.keys(reply.json)], reply.bytes.toString()).to.deep.equal([
      200,
      ['files'],
    ]);
    return rowsOf(reply.json, 'files');
  };
  const details = async (artifactId: unknown) =>
    (await stage.python.get(`${rest}/artifacts/get?artifact_id=${String(artifactId)}`)).json;
  const uploadTo = async (
    query: Readonly<Record<string, string>>,
    parts: readonly SentPart[],
    headers: Readonly<Record<string, string>> = { Authorization: stage.server.apiKey },
    path = `${write}/experiment/upload-asset`,
  ): Promise<WireReply> => {
    const { type, body } = encodeParts(parts);
    const reply = await fetch(`${stage.server.url}${path}?${words(query)}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': type },
      body: Buffer.from(body),
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      bytes,
      get json() {
        return JSON.parse(bytes.toString()) as Record<string, unknown>;
      },
    }; // every JSON reply of this wire is an object
  };
  const addFile = async (
    experimentKey: string,
    made: Row,
    fileName: string,
    content: Buffer | string,
  ): Promise<string> => {
    const reply = await uploadTo(
      { experimentKey, fileName, artifactVersionId: String(made['artifactVersionId']) },
      [{ name: 'file', fileName: 'file', content }],
    );
    isSaved(reply);
    return String(reply.json['assetId']);
  };
  /** A closed version with one file. */
  const logged = async (experimentKey: string, more: object = {}): Promise<Row> => {
    const made = await upsert(experimentKey, more);
    await addFile(experimentKey, made, 'a.txt', 'a');
    isSaved(await setState(made, experimentKey, 'CLOSED'));
    return made;
  };
  const named = (more: Readonly<Record<string, string>> = {}) => ({
    workspace: stage.server.workspace,
    artifactName: name,
    ...more,
  });

  describe('as Java logs and reads them', () => {
    it('makes a version, reads it while it is open, uploads bytes without file names side by side, and closes it', async () => {
      const key = await stage.make();
      const body = {
        artifactName: name,
        artifactType: 'model',
        experimentKey: key,
        isPublic: false,
        alias: ['a1', 'a2'],
        versionTags: ['t1', 't2'],
        versionMetadata: '{"text":"é","number":1.0}',
      };
      const made = await stage.java.send('POST', `${write}/artifacts/upsert`, body);
      isSaved(made);
      const { artifactId, artifactVersionId } = made.json as Readonly<Record<string, string>>; // ids are texts
      expect([made.json['currentVersion'], made.json['previousVersion']]).to.deep.equal([
        '1.0.0',
        null,
      ]);

      const open = await version(
        { artifactId: artifactId!, versionId: artifactVersionId!, experimentKey: key },
        stage.java,
      );
      expect(
        [
          open.status,
          open.json['state'],
          open.json['alias'],
          open.json['tags'],
          open.json['metadata'],
          open.json['sizeInBytes'],
        ],
        open.bytes.toString(),
      ).to.deep.equal([200, 'OPEN', ['a1', 'a2'], ['t1', 't2'], body.versionMetadata, 0]);
      expect(Object.keys(open.json['artifact'] as Row).sort()).to.deep.equal(artifactKeys); // an object, by the row's reply
      expect([
        (open.json['artifact'] as Row)['workspaceName'],
        (open.json['artifact'] as Row)['artifactType'],
        open.json['experimentKey'],
      ]).to.deep.equal([stage.server.workspace, 'model', key]); // as above

      const contents = Array.from({ length: 12 }, (_, at) => randomBytes(1000 * at));
      const replies = await Promise.all(
        contents.map((content, at) =>
          uploadTo(
            {
              type: 'asset',
              fileName: `folder/${at}`,
              extension: '',
              experimentKey: key,
              overwrite: 'false',
              artifactVersionId: artifactVersionId!,
            },
            [
              { name: 'metadata', type: 'text/plain', content: '{}' },
              { name: 'file', type: 'application/octet-stream', content },
            ],
            { 'Comet-Sdk-Api': stage.server.apiKey, Accept: '*/*' },
          ),
        ),
      );
      for (const reply of replies) isSaved(reply);
      isSaved(
        await uploadTo(
          {
            type: 'asset',
            fileName: 'far',
            isRemote: 'true',
            experimentKey: key,
            artifactVersionId: artifactVersionId!,
          },
          [
            { name: 'metadata', content: '{"a":1}' },
            { name: 'link', content: 's3://bucket/far' },
          ],
          { 'Comet-Sdk-Api': stage.server.apiKey },
        ),
      );
      isSaved(
        await stage.java.send('POST', `${write}/artifacts/state`, {
          artifactVersionId,
          experimentKey: key,
          state: 'CLOSED',
        }),
      );

      const reader = await stage.make();
      const read = await version(
        {
          artifactName: name,
          consumerExperimentKey: reader,
          experimentKey: reader,
          versionOrAlias: 'Latest',
        },
        stage.java,
      );
      expect(
        [read.json['state'], read.json['alias'], read.json['sizeInBytes']],
        read.bytes.toString(),
      ).to.deep.equal([
        'CLOSED',
        ['a1', 'a2', 'Latest'],
        contents.reduce((sum, one) => sum + one.length, 0),
      ]);
      const files = await filesOf(
        { artifactId: artifactId!, versionId: artifactVersionId! },
        stage.java,
      );
      expect(
        files
          .map((file) => [
            file['fileName'],
            file['fileSize'],
            file['type'],
            file['remote'],
            file['link'],
            file['dir'],
            file['metadata'],
          ])
          .sort(),
      ).to.deep.equal(
        [
          ...contents.map((content, at) => [
            `folder/${at}`,
            content.length,
            'unknown',
            false,
            null,
            null,
            null,
          ]),
          ['far', 0, 'unknown', true, 's3://bucket/far', null, '{"a":1}'],
        ].sort(),
      );
      for (const file of files.filter((one) => one['remote'] === false)) {
        const got = await stage.java.get(
          `${rest}/experiment/asset/get-asset?${words({ experimentKey: reader, assetId: String(file['assetId']), artifactVersionId: artifactVersionId! })}`,
        );
        expect([
          got.status,
          got.bytes.equals(contents[Number(String(file['fileName']).slice(7))] ?? Buffer.from('?')),
        ]).to.deep.equal([200, true]);
      }
      expect((await stage.get('asset/list', key))['assets']).to.deep.equal([]);
    });

    it('steps the version itself when it logs again, and is told when that is taken', async () => {
      const key = await stage.make();
      const artifactName = freshName('java');
      await upsert(
        key,
        { artifactName, version: '1.0.0', isPublic: false, versionMetadata: '{}' },
        stage.java,
      );
      expect(
        (
          await upsert(
            key,
            { artifactName, version: '1.1.0', isPublic: false, versionMetadata: '{}' },
            stage.java,
          )
        )['previousVersion'],
      ).to.equal('1.0.0');
      isRefused(
        await stage.java.send('POST', `${write}/artifacts/upsert`, {
          artifactName,
          artifactType: 'dataset',
          experimentKey: key,
          version: '1.1.0',
        }),
        400,
        90399,
      );
    });

    it('knows only 400 with its codes for what is not there', async () => {
      const key = await stage.make();
      await upsert(key, { artifactName: 'half' });
      isRefused(
        await version(
          { artifactName: 'none', experimentKey: key, consumerExperimentKey: key },
          stage.java,
        ),
        400,
        624523,
      );
      isRefused(
        await stage.java.get(
          `${rest}/artifacts/get?artifactName=none&workspace=${stage.server.workspace}`,
        ),
        400,
        624522,
      );
      isRefused(
        await version(
          {
            artifactName: 'half',
            experimentKey: key,
            consumerExperimentKey: key,
            versionOrAlias: '1.0.0',
          },
          stage.java,
        ),
        400,
        90402,
      );
      isRefused(
        await version(
          { artifactName: 'half', experimentKey: key, versionOrAlias: '9.0.0' },
          stage.java,
        ),
        400,
        624523,
      );
      isRefused(
        await version({ artifactName: 'half', experimentKey: freshKey() }, stage.java),
        400,
        90211,
      );
      isRefused(
        await stage.java.send('POST', `${write}/artifacts/upsert`, {
          artifactName: 'half',
          artifactType: 'x',
          experimentKey: freshKey(),
        }),
        400,
        90211,
      );
    });
  });

  describe('as R logs and reads them', () => {
    it('sends lists and single texts, closes without files, and replaces labels exactly', async () => {
      const key = await stage.make();
      const artifactName = freshName('r');
      const made = await stage.r.send('POST', `${write}/artifacts/upsert`, {
        artifactName,
        artifactType: 'data',
        experimentKey: key,
        version: '2.1.0',
        alias: ['z', 'a', 'm'],
        versionTags: 'only',
        versionMetadata: '{"r":true}',
      });
      isSaved(made);
      const { artifactId, artifactVersionId } = made.json as Readonly<Record<string, string>>; // ids are texts
      expect(
        (await version({ artifactId: artifactId!, versionId: artifactVersionId! }, stage.r)).json[
          'artifactVersion'
        ],
      ).to.equal('2.1.0');
      isSaved(await setState(made.json, key, 'CLOSED'));
      const read = async () =>
        (await version({ artifactName, workspace: stage.server.workspace }, stage.r)).json;
      expect([(await read())['alias'], (await read())['tags']]).to.deep.equal([
        ['z', 'a', 'm', 'Latest'],
        ['only'],
      ]);
      expect(
        await filesOf(
          { artifactName, version: '2.1.0', workspace: stage.server.workspace },
          stage.r,
        ),
      ).to.deep.equal([]);

      isSaved(
        await stage.r.send('POST', `${write}/artifacts/version/labels`, {
          artifactVersionId,
          alias: ['q', 'b', 'Latest'],
        }),
      );
      isSaved(
        await stage.r.send('POST', `${write}/artifacts/version/labels`, {
          artifactVersionId,
          versionTags: ['y', 'x'],
        }),
      );
      isSaved(
        await stage.r.send('POST', `${write}/artifacts/details`, { artifactId, tags: 'one' }),
      );
      const after = await read();
      expect([
        after['alias'],
        after['tags'],
        after['metadata'],
        (after['artifact'] as Row)['tags'],
      ]).to.deep.equal([['q', 'b', 'Latest'], ['y', 'x'], '{"r":true}', ['one']]); // an object, by the row's reply
      const unknown = await version(
        { artifactName, workspace: stage.server.workspace, version: '9.9.9' },
        stage.r,
      );
      isRefused(unknown, 400, 624523);
    });

    it('uploads a file with overwrite=FALSE, and reads text as text through the version', async () => {
      const key = await stage.make();
      const made = await upsert(key, { artifactName: freshName('r') }, stage.r);
      const reply = await uploadTo(
        {
          experimentKey: key,
          overwrite: 'FALSE',
          type: 'asset',
          fileName: 'script.R',
          artifactVersionId: String(made['artifactVersionId']),
        },
        [
          { name: 'file', fileName: 'script.R', type: 'text/plain', content: 'print(1)\n' },
          { name: 'metadata', content: '{"b":[1,2]}' },
        ],
      );
      isSaved(reply);
      const got = await stage.r.get(
        `${rest}/experiment/asset/get-asset?${words({ experimentKey: key, assetId: String(reply.json['assetId']), artifactVersionId: String(made['artifactVersionId']) })}`,
      );
      expect([got.type, got.bytes.toString()]).to.deep.equal(['text/plain', 'print(1)\n']);
      expect(
        (
          await filesOf(
            {
              artifactId: String(made['artifactId']),
              versionId: String(made['artifactVersionId']),
            },
            stage.r,
          )
        )[0]?.['metadata'],
      ).to.equal('{"b":[1,2]}');
    });
  });

  describe('as Python reads them', () => {
    it('finds a name that was encoded twice, and one that looks as if it were', async () => {
      const key = await stage.make();
      const plain = freshName('my data é/:');
      for (const artifactName of [plain, `${plain}100%`, `${plain}%20`]) {
        const made = await logged(key, { artifactName });
        for (const asked of [artifactName, encodeURIComponent(artifactName)]) {
          const read = await version({ artifactName: asked, workspace: stage.server.workspace });
          expect(read.json['artifactVersionId'], `${asked} ${read.bytes.toString()}`).to.equal(
            made['artifactVersionId'],
          );
        }
      }
    });

    it('downloads with an empty run, with any run of its own, and with none', async () => {
      const made = await logged(await stage.make(), { artifactName: freshName('py') });
      const [file] = await filesOf({ artifact_id: String(made['artifactId']), version: '1.0.0' });
      for (const more of [
        { experimentKey: '' },
        { experimentKey: await stage.make() },
        {},
      ] as Readonly<Record<string, string>>[]) {
        const got = await stage.python.get(
          `${rest}/experiment/asset/get-asset?${words({ assetId: String(file?.['assetId']), allow301: 'False', artifactVersionId: String(made['artifactVersionId']), ...more })}`,
        );
        expect([got.status, got.bytes.toString()]).to.deep.equal([200, 'a']);
      }
    });

    it('logs remote files in packed batches, sends one again after a lost reply, and is refused as a whole', async () => {
      const key = await stage.make();
      const made = await upsert(key, { artifactName: freshName('py') });
      const item = (at: number) => ({
        link: `s3://b/${at}`,
        type: null,
        metadata: '{"synced":true}',
        assetId: freshKey(),
        fileName: `f/${at}`,
        isRemote: true,
        overwrite: false,
        step: null,
        context: null,
        runId: 'r',
        artifactVersionId: made['artifactVersionId'],
      });
      const batch = {
        remoteArtifactAssetRequests: Array.from({ length: 300 }, (_, at) => item(at)),
      };
      const send = (body: object) =>
        stage.python.sendPacked(
          `/clientlib/rest/v2/write/artifact/assets/remote/batch?experimentKey=${key}`,
          body,
        );
      for (let i = 0; i < 2; i++) isSaved(await send(batch));
      const list = () =>
        filesOf({
          artifactId: String(made['artifactId']),
          versionId: String(made['artifactVersionId']),
        });
      expect(
        (await list()).map((file) => [file['link'], file['metadata'], file['remote']]),
      ).to.deep.equal(
        batch.remoteArtifactAssetRequests.map(({ link, metadata }) => [link, metadata, true]),
      );

      isRefused(
        await send({
          remoteArtifactAssetRequests: [
            item(1),
            { ...item(2), artifactVersionId: '01890000-0000-7000-8000-000000000000' },
          ],
        }),
        400,
        624523,
      );
      isSaved(
        await stage.python.send('POST', '/api/rest/v2/write/artifact/assets/remote', {
          remoteAssets: [
            {
              artifactId: made['artifactId'],
              artifactVersionId: made['artifactVersionId'],
              assetId: freshKey(),
              type: 'table',
              fileName: 'last',
              metadata: '{}',
              link: 'gs://x',
            },
          ],
        }),
      );
      isSaved(await setState(made, key, 'CLOSED'));
      isRefused(await send({ remoteArtifactAssetRequests: [item(3)] }), 400, 90401);
      isSaved(await send(batch));
      expect((await list()).map((file) => file['type'])).to.deep.equal([
        ...batch.remoteArtifactAssetRequests.map(() => 'unknown'),
        'table',
      ]);
    });

    it('sends a large file in parts, which counts when it is complete', async () => {
      const key = await stage.make();
      const made = await upsert(key, { artifactName: freshName('py') });
      const begin = {
        experimentId: key,
        assetId: freshKey(),
        fileName: 'large',
        artifactVersionId: made['artifactVersionId'],
        overwrite: null,
        step: null,
        metadata: null,
        startUploadParams: { cloudType: 'AWS', preSignUrlTimeoutSec: 60, numOfFileParts: 2 },
      };
      const started = await stage.python.send('POST', '/clientlib/asset/upload-start', begin);
      isSaved(started);
      const parts = [randomBytes(50_000), randomBytes(20_000)];
      const sent = await Promise.all(
        (started.json['preSignUrl'] as readonly string[]).map(async (url, at) => ({
          ETag: (
            await fetch(url, { method: 'PUT', body: parts[at] ?? Buffer.from('') })
          ).headers.get('etag'),
          PartNumber: at + 1,
        })),
      ); // a list of links
      const complete = () =>
        stage.python.send('POST', '/clientlib/asset/upload-complete', {
          requestId: started.json['requestId'],
          succeed: true,
          fileSize: 70_000,
          uploadedFileParts: sent,
        });
      isSaved(await complete());
      isSaved(await complete());
      const [file] = await filesOf({
        artifactId: String(made['artifactId']),
        versionId: String(made['artifactVersionId']),
      });
      expect([
        file?.['fileSize'],
        (await version({ versionId: String(made['artifactVersionId']) })).json['sizeInBytes'],
      ]).to.deep.equal([70_000, 70_000]);

      const late = await stage.python.send('POST', '/clientlib/asset/upload-start', {
        ...begin,
        assetId: freshKey(),
      });
      const lateParts = await Promise.all(
        (late.json['preSignUrl'] as readonly string[]).map(async (url, at) => ({
          ETag: (await fetch(url, { method: 'PUT', body: 'x' })).headers.get('etag'),
          PartNumber: at + 1,
        })),
      ); // a list of links
      isSaved(await setState(made, key, 'CLOSED'));
      isRefused(
        await stage.python.send('POST', '/clientlib/asset/upload-start', {
          ...begin,
          assetId: freshKey(),
        }),
        400,
        90401,
      );
      isRefused(
        await stage.python.send('POST', '/clientlib/asset/upload-start', begin),
        400,
        7000005,
      );
      isRefused(
        await stage.python.send('POST', '/clientlib/asset/upload-complete', {
          requestId: late.json['requestId'],
          succeed: true,
          fileSize: 2,
          uploadedFileParts: lateParts,
        }),
        400,
        90401,
      );
      expect((await filesOf({ versionId: String(made['artifactVersionId']) })).length).to.equal(1);
    });
  });

  describe('versions', () => {
    it('are numbered by the next whole number, whatever was given by hand', async () => {
      const key = await stage.make();
      const artifactName = freshName('numbers');
      for (const [given, current, previous] of [
        [undefined, '1.0.0', null],
        [undefined, '2.0.0', '1.0.0'],
        ['10.4.1', '10.4.1', '2.0.0'],
        ['9.0.0', '9.0.0', '10.4.1'],
        [null, '11.0.0', '10.4.1'],
        ['11.0.0-rc.1', '11.0.0-rc.1', '11.0.0'],
        ['', '12.0.0', '11.0.0'],
      ] as const) {
        const made = await upsert(key, { artifactName, version: given });
        expect([made['currentVersion'], made['previousVersion']]).to.deep.equal([
          current,
          previous,
        ]);
      }
      const { artifactId } = await upsert(key, { artifactName, version: '2.0.0-beta' });
      expect(
        rowsOf(await details(artifactId), 'versions').map((one) => one['version']),
      ).to.deep.equal([
        '1.0.0',
        '2.0.0-beta',
        '2.0.0',
        '9.0.0',
        '10.4.1',
        '11.0.0-rc.1',
        '11.0.0',
        '12.0.0',
      ]);
    });

    it('refuse a number that is no semantic version', async () => {
      const key = await stage.make();
      for (const given of [
        '1',
        '1.0',
        'v1.0.0',
        '01.0.0',
        '1.0.0-',
        '1.0.0.0',
        'latest',
        `1.0.${'9'.repeat(200)}`,
        '1.0.0\n',
        '-1.0.0',
        '1.0.0 ',
      ])
        isRefused(
          await stage.python.send('POST', `${write}/artifacts/upsert`, {
            artifactName: freshName('unfit'),
            artifactType: 't',
            experimentKey: key,
            version: given,
          }),
          400,
          42001,
        );
    });

    it('are numbered one after the other when many are made at once', async () => {
      const key = await stage.make();
      const artifactName = freshName('race');
      const made = await Promise.all(
        Array.from({ length: 8 }, () => upsert(key, { artifactName })),
      );
      expect(new Set(made.map((one) => one['artifactId'])).size).to.equal(1);
      expect(
        made.map((one) => parseInt(String(one['currentVersion']), 10)).sort((a, b) => a - b),
      ).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('are finished once, take a repeated end for the same, and know no other state', async () => {
      const key = await stage.make();
      const [closed, failed, open] = [await logged(key), await upsert(key), await upsert(key)];
      isSaved(await setState(closed, key, 'CLOSED'));
      for (const state of ['OPEN', 'ERROR'])
        isRefused(await setState(closed, key, state), 400, 90401);
      isSaved(await setState(failed, key, 'ERROR'));
      isRefused(await setState(failed, key, 'CLOSED'), 400, 90401);
      isSaved(await setState(open, key, 'OPEN'));
      for (const state of ['closed', 'DONE', ''])
        isRefused(await setState(open, key, state), 400, 90410);
      isRefused(await version(named({ version: String(failed['currentVersion']) })), 400, 90403);
      isRefused(await version(named({ version: String(open['currentVersion']) })), 400, 90402);
      expect(
        (
          await version({
            artifactId: String(open['artifactId']),
            versionId: String(open['artifactVersionId']),
          })
        ).json['state'],
      ).to.equal('OPEN');
      isRefused(
        await uploadTo(
          {
            experimentKey: key,
            fileName: 'late',
            artifactVersionId: String(closed['artifactVersionId']),
          },
          [{ name: 'file', content: 'x' }],
        ),
        400,
        90401,
      );
    });

    it('hold the latest alias when they close, which leaves the former, and by which they are found in any case', async () => {
      const key = await stage.make();
      const one = await logged(key, { alias: ['prod'] });
      const two = await logged(key, { alias: ['Prod', 'next'] });
      expect(
        rowsOf(await details(one['artifactId']), 'versions').map((each) => each['alias']),
      ).to.deep.equal([[], ['Prod', 'next', 'Latest']]);
      for (const more of [
        {},
        { alias: 'latest' },
        { versionOrAlias: 'PROD' },
        { versionOrAlias: '2.0.0' },
        { version: '2.0.0' },
      ] as Readonly<Record<string, string>>[])
        expect(
          (await version(named(more))).json['artifactVersionId'],
          JSON.stringify(more),
        ).to.equal(two['artifactVersionId']);
      isSaved(
        await stage.python.send('POST', `${write}/artifacts/version/labels`, {
          artifactVersionId: one['artifactVersionId'],
          alias: ['prod'],
        }),
      );
      expect((await version(named({ alias: 'prod' }))).json['artifactVersionId']).to.equal(
        one['artifactVersionId'],
      );
      isSaved(
        await stage.python.send('POST', `${write}/artifacts/version/labels`, {
          artifactVersionId: one['artifactVersionId'],
          alias: [],
        }),
      );
      isRefused(await version(named({ alias: 'prod' })), 400, 624523);
    });

    it('keep metadata to the letter, change it alone, and refuse what is no object', async () => {
      const key = await stage.make();
      const made = await logged(key, { versionMetadata: '{"b": 1.0,\n "a":[]}' });
      const metadata = async () => (await version(named())).json['metadata'];
      expect(await metadata()).to.equal('{"b": 1.0,\n "a":[]}');
      const change = (body: object) =>
        stage.python.send('POST', `${write}/artifacts/details`, {
          artifactId: made['artifactId'],
          ...body,
        });
      isSaved(await change({ version: '1.0.0', versionMetadata: '{"c":2}' }));
      isSaved(await change({ versionMetadata: '{"of":"artifact"}', artifactType: 'other' }));
      const read = (await version(named())).json;
      expect([
        read['metadata'],
        (read['artifact'] as Row)['metadata'],
        (read['artifact'] as Row)['artifactType'],
      ]).to.deep.equal(['{"c":2}', '{"of":"artifact"}', 'other']); // an object, by the row's reply
      for (const unfit of ['{', '[1]', '5', 'text'])
        isRefused(await change({ versionMetadata: unfit }), 400, 7777777);
      isRefused(await change({ version: '8.0.0', versionMetadata: '{}' }), 400, 624523);
      isSaved(
        await stage.python.send('POST', `${write}/artifacts/version/labels`, {
          artifactVersionId: made['artifactVersionId'],
          versionMetadata: '',
        }),
      );
      expect(await metadata()).to.equal(null);
    });

    it('keep the run that made them and tell the runs that used them', async () => {
      const [maker, reader] = [await stage.make(), await stage.make()];
      const made = await logged(maker);
      await version(named({ experimentKey: reader, consumerExperimentKey: reader }));
      await filesOf(named({ experimentKey: reader, version: '1.0.0' }));
      const consumers = rowsOf(
        (
          await stage.python.get(
            `${rest}/artifacts/version/consumers?versionId=${String(made['artifactVersionId'])}`,
          )
        ).json,
        'consumers',
      );
      expect(consumers.map((one) => one['experimentKey'])).to.deep.equal([reader]);
      const lineage = async (key: string, filter: string) =>
        (await stage.python.get(`${rest}/get/artifacts?${words({ experimentKey: key, filter })}`))
          .json;
      const ids = (json: Row, side: string) =>
        rowsOf(json, side).map((one) => one['artifactVersionId']);
      const [used, own] = [await lineage(reader, 'all'), await lineage(maker, 'all')];
      expect([
        ids(used, 'inputArtifacts'),
        ids(used, 'outputArtifacts'),
        ids(own, 'inputArtifacts'),
        ids(own, 'outputArtifacts'),
      ]).to.deep.equal([[made['artifactVersionId']], [], [], [made['artifactVersionId']]]);
      expect([
        ids(await lineage(reader, 'output'), 'inputArtifacts'),
        ids(await lineage(maker, 'input'), 'outputArtifacts'),
      ]).to.deep.equal([[], []]);
      isSaved(
        await stage.python.get(`${write}/experiment/delete?experimentKey=${maker}`),
        'Deleted',
      );
      const read = await version(named());
      expect([
        read.status,
        read.json['experimentKey'],
        (await filesOf(named({ version: '1.0.0' }))).length,
      ]).to.deep.equal([200, maker, 1]);
    });
  });

  describe('deletion', () => {
    it('makes every read miss a version at once, leaves the others, and bans its number', async () => {
      const key = await stage.make();
      const [one, two] = [await logged(key), await logged(key)];
      const [file] = await filesOf(named({ version: '2.0.0' }));
      isSaved(
        await stage.python.send('POST', `${write}/artifacts/version/delete`, {
          artifactVersionId: two['artifactVersionId'],
        }),
      );

      for (const more of [
        { version: '2.0.0' },
        { versionId: String(two['artifactVersionId']) },
      ] as Readonly<Record<string, string>>[])
        for (const what of ['version', 'version/files', 'version/download'])
          isRefused(
            await stage.python.get(`${rest}/artifacts/${what}?${words(named(more))}`),
            400,
            624523,
          );
      isRefused(
        await stage.python.get(
          `${rest}/experiment/asset/get-asset?${words({ experimentKey: key, assetId: String(file?.['assetId']), artifactVersionId: String(two['artifactVersionId']) })}`,
        ),
        400,
        624523,
      );
      isRefused(
        await stage.python.get(
          `${rest}/experiment/asset/get-asset?${words({ experimentKey: key, assetId: String(file?.['assetId']) })}`,
        ),
        400,
        7777777,
      );
      isRefused(
        await uploadTo(
          {
            experimentKey: key,
            fileName: 'x',
            artifactVersionId: String(two['artifactVersionId']),
          },
          [{ name: 'file', content: 'x' }],
        ),
        400,
        624523,
      );
      isRefused(
        await stage.python.send('POST', `${write}/artifacts/version/delete`, {
          artifactVersionId: two['artifactVersionId'],
        }),
        400,
        624523,
      );
      expect([
        (await version(named())).json['artifactVersionId'],
        (await details(one['artifactId']))['latestVersion'],
      ]).to.deep.equal([one['artifactVersionId'], '1.0.0']);
      isRefused(
        await stage.python.send('POST', `${write}/artifacts/upsert`, {
          artifactName: name,
          artifactType: 't',
          experimentKey: key,
          version: '2.0.0',
        }),
        400,
        7000019,
      );
      expect((await upsert(key))['currentVersion']).to.equal('3.0.0');
    });

    it('makes every read miss an artifact at once, and bans its numbers for the next of its name', async () => {
      const key = await stage.make();
      const artifactName = freshName('gone');
      const made = await logged(key, { artifactName });
      isSaved(
        await stage.python.send('POST', `${write}/artifacts/delete`, {
          artifactId: made['artifactId'],
        }),
      );

      isRefused(
        await stage.python.get(`${rest}/artifacts/get?artifact_id=${String(made['artifactId'])}`),
        400,
        624522,
      );
      isRefused(await version({ workspace: stage.server.workspace, artifactName }), 400, 624523);
      isRefused(await version({ versionId: String(made['artifactVersionId']) }), 400, 624523);
      isRefused(
        await stage.python.send('POST', `${write}/artifacts/details`, {
          artifactId: made['artifactId'],
          tags: ['x'],
        }),
        400,
        624522,
      );
      expect(
        (await stage.python.get(`${rest}/get/artifacts?experimentKey=${key}`)).json[
          'outputArtifacts'
        ],
      ).to.deep.equal([]);
      isRefused(
        await stage.python.send('POST', `${write}/artifacts/upsert`, {
          artifactName,
          artifactType: 't',
          experimentKey: key,
          version: '1.0.0',
        }),
        400,
        7000019,
      );
      const next = await upsert(key, { artifactName });
      expect([
        next['currentVersion'],
        next['previousVersion'],
        next['artifactId'] === made['artifactId'],
      ]).to.deep.equal(['2.0.0', null, false]);
    });

    it('of a single file is refused, and so is taking its place from outside the version', async () => {
      const key = await stage.make();
      const made = await upsert(key, { artifactName: freshName('whole') });
      const assetId = await addFile(key, made, 'a', 'first');
      isSaved(await setState(made, key, 'CLOSED'));
      isRefused(
        await stage.python.get(
          `${write}/experiment/asset/delete?${words({ experimentKey: key, assetId })}`,
        ),
        400,
        7777777,
      );
      isRefused(
        await uploadTo({ experimentKey: key, assetId, fileName: 'a', overwrite: 'true' }, [
          { name: 'file', content: 'second' },
        ]),
        400,
        7000005,
      );
      const got = await stage.python.get(
        `${rest}/experiment/asset/get-asset?${words({ experimentKey: '', assetId, artifactVersionId: String(made['artifactVersionId']) })}`,
      );
      expect(got.bytes.toString()).to.equal('first');
    });
  });

  describe('access', () => {
    it('lets a stranger read a public artifact and nothing else of it', async () => {
      const key = await stage.make();
      const made = await logged(key, { artifactName: freshName('shown'), isPublic: true });
      const [artifactId, versionId] = [
        String(made['artifactId']),
        String(made['artifactVersionId']),
      ];
      const stranger = as(people.stranger);
      const own = String(
        (
          await stranger.send('POST', `${write}/experiment/create`, {
            workspaceName: people.stranger.workspace,
            projectName: 'p',
          })
        ).json['experimentKey'],
      );
      const reads = async () => {
        const [file] =
          rowsOf(
            (
              await stranger.get(
                `${rest}/artifacts/version/files?${words({ artifactId, versionId })}`,
              )
            ).json,
            'files',
          ) ?? [];
        return Promise.all([
          stranger.get(`${rest}/artifacts/get?artifact_id=${artifactId}`),
          version({ versionId, experimentKey: own }, stranger),
          stranger.get(`${rest}/artifacts/version/download?${words({ versionId })}`),
          stranger.get(
            `${rest}/experiment/asset/get-asset?${words({ experimentKey: own, assetId: String(file?.['assetId'] ?? 'x'), artifactVersionId: versionId })}`,
          ),
        ]);
      };
      expect((await reads()).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const writes = () =>
        Promise.all([
          stranger.send('POST', `${write}/artifacts/details`, { artifactId, tags: ['x'] }),
          stranger.send('POST', `${write}/artifacts/version/labels`, {
            artifactVersionId: versionId,
            alias: ['x'],
          }),
          stranger.send('POST', `${write}/artifacts/version/delete`, {
            artifactVersionId: versionId,
          }),
          stranger.send('POST', `${write}/artifacts/delete`, { artifactId }),
          stranger.send('POST', `${write}/artifacts/state`, {
            artifactVersionId: versionId,
            experimentKey: own,
            state: 'CLOSED',
            isPublic: false,
          }),
          stranger.send('POST', `${write}/artifact/assets/remote/batch?experimentKey=${own}`, {
            remoteArtifactAssetRequests: [{ link: 's3://x', artifactVersionId: versionId }],
          }),
        ]);
      for (const reply of await writes())
        expect(
          [reply.status, [624522, 624523].includes(Number(reply.json['sdk_error_code']))],
          reply.bytes.toString(),
        ).to.deep.equal([400, true]);
      expect(
        rowsOf(
          (await stage.python.get(`${rest}/artifacts/version/consumers?versionId=${versionId}`))
            .json,
          'consumers',
        ).map((one) => one['experimentKey']),
      ).to.deep.equal([own]);

      isSaved(await setState(made, key, 'CLOSED', { isPublic: false }));
      for (const reply of await reads()) expect(reply.status).to.equal(400);
      await upsert(key, { artifactName: (await details(artifactId))['name'], isPublic: true });
      await upsert(key, { artifactName: (await details(artifactId))['name'], isPublic: false });
      expect((await details(artifactId))['isPublic']).to.equal(true);
    });

    it('lets no run of another workspace add a file, also for one who may write in both', async () => {
      const made = await upsert(await stage.make(), { artifactName: freshName('own') });
      const foreign = String(
        (
          await as(people.home).send('POST', `${write}/experiment/create`, {
            workspaceName: people.home.workspace,
            projectName: 'p',
          })
        ).json['experimentKey'],
      );
      const artifactVersionId = String(made['artifactVersionId']);
      isRefused(
        await uploadTo({ experimentKey: foreign, fileName: 'x', artifactVersionId }, [
          { name: 'file', content: 'x' },
        ]),
        400,
        624523,
      );
      isRefused(
        await stage.python.send('POST', '/clientlib/asset/upload-start', {
          experimentId: foreign,
          artifactVersionId,
          startUploadParams: { numOfFileParts: 1 },
        }),
        400,
        624523,
      );
      isRefused(
        await stage.python.send(
          'POST',
          `${write}/artifact/assets/remote/batch?experimentKey=${foreign}`,
          { remoteArtifactAssetRequests: [{ link: 's3://x', artifactVersionId }] },
        ),
        400,
        624523,
      );
      isRefused(
        await stage.python.send('POST', `${write}/artifacts/state`, {
          artifactVersionId,
          experimentKey: foreign,
          state: 'CLOSED',
        }),
        400,
        624523,
      );
      expect(await filesOf({ versionId: artifactVersionId })).to.deep.equal([]);
    });

    it('lets a view-only member read without leaving a mark', async () => {
      const owner = as(people.home);
      const key = String(
        (
          await owner.send('POST', `${write}/experiment/create`, {
            workspaceName: people.home.workspace,
            projectName: 'p',
          })
        ).json['experimentKey'],
      );
      const made = await upsert(key, { artifactName: freshName('seen') }, owner);
      isSaved(
        await owner.send('POST', `${write}/artifacts/state`, {
          artifactVersionId: made['artifactVersionId'],
          experimentKey: key,
          state: 'CLOSED',
        }),
      );
      expect(
        (
          await version(
            { versionId: String(made['artifactVersionId']), experimentKey: key },
            as(people.viewer),
          )
        ).status,
      ).to.equal(200);
      isRefused(
        await as(people.viewer).send('POST', `${write}/artifacts/upsert`, {
          artifactName: 'x',
          artifactType: 'x',
          experimentKey: key,
        }),
        403,
        7000011,
      );
      expect(
        (
          await owner.get(
            `${rest}/artifacts/version/consumers?versionId=${String(made['artifactVersionId'])}`,
          )
        ).json['consumers'],
      ).to.deep.equal([]);
    });
  });

  describe('awkward names', () => {
    const names = [
      '../../etc/passwd',
      'a\\b',
      'n'.repeat(300),
      'a\u202egnp.exe',
      '\u200f\u05d0\u05d1',
      '🦄 é 漢',
      '__proto__',
      "'; drop table artifacts; --",
      '<script>',
      ' ends ',
      'null',
      '%00',
      '%2e%2e%2f',
      'a\tb\nc',
      'C:\\x',
      '/etc/passwd',
      '..',
      '.',
      'e\u0301',
      '\u00e9',
    ];

    it('of artifacts, aliases and tags come back as they were', async () => {
      const key = await stage.make();
      const start = freshName('n');
      for (const awkward of names) {
        const artifactName = `${start}${awkward}`;
        const made = await upsert(key, {
          artifactName,
          artifactType: awkward.slice(0, 100),
          alias: [awkward],
          versionTags: [awkward],
          tags: [awkward],
          description: awkward,
          note: awkward,
          emoji: '🦄',
        });
        isSaved(await setState(made, key, 'CLOSED'));
        const read = (
          await version({ workspace: stage.server.workspace, artifactName, alias: awkward })
        ).json;
        expect(
          [
            read['alias'],
            read['tags'],
            (read['artifact'] as Row)['artifactName'],
            (read['artifact'] as Row)['tags'],
            read['note'],
            (read['artifact'] as Row)['description'],
          ],
          awkward,
        ).to.deep.equal([
          [awkward, 'Latest'],
          [awkward],
          artifactName,
          [awkward],
          awkward,
          awkward,
        ]); // an object, by the row's reply
      }
      expect(
        rowsOf(
          (await stage.python.get(`${rest}/artifacts/get-all?workspace=${stage.server.workspace}`))
            .json,
          'artifacts',
        ).map((one) => one['name']),
      ).to.include.members(names.map((awkward) => start + awkward));
      for (const body of [
        { artifactName: 'a\0b' },
        { artifactName: '' },
        { artifactName: 'x'.repeat(2000) },
        { artifactName: 'a', alias: ['a\0'] },
        { artifactName: 'a', alias: ['x'.repeat(5000)] },
        { artifactName: 'a', artifactType: 'x'.repeat(500) },
        { artifactName: 'a', versionTags: Array.from({ length: 1500 }, (_, at) => String(at)) },
      ]) {
        const reply = await stage.python.send('POST', `${write}/artifacts/upsert`, {
          artifactType: 't',
          experimentKey: key,
          ...body,
        });
        isRefused(reply, 400, 7777777);
        expect(reply.json['msg'])
          .to.be.a('string')
          .and.match(/^.{3,400}$/);
      }
    });

    it('of files come back as they were, and never lead out of the zip', async () => {
      const key = await stage.make();
      const made = await upsert(key, { artifactName: '../../up' });
      for (const awkward of names) await addFile(key, made, awkward, `content of ${awkward}`);
      await addFile(key, made, 'same', '1');
      await addFile(key, made, 'same', '2');
      isRefused(
        await uploadTo(
          {
            experimentKey: key,
            fileName: 'a\0b',
            artifactVersionId: String(made['artifactVersionId']),
          },
          [{ name: 'file', content: 'x' }],
        ),
        400,
        7777777,
      );
      isSaved(await setState(made, key, 'CLOSED'));
      expect(
        (await filesOf(named({ artifactName: '../../up', version: '1.0.0' }))).map(
          (file) => file['fileName'],
        ),
      ).to.deep.equal([...names, 'same', 'same']);

      const zip = await stage.python.get(
        `${rest}/artifacts/version/download?${words({ version: String(made['artifactVersionId']), experimentKey: key })}`,
      );
      expect(zip.status).to.equal(200);
      const entries = await readZip(zip.bytes);
      expect([entries.size, [...entries.values()].sort()]).to.deep.equal([
        names.length + 2,
        [...names.map((awkward) => `content of ${awkward}`), '1', '2'].sort(),
      ]);
      for (const entry of entries.keys())
        expect(entry).to.satisfy(
          (path: string) =>
            !path.startsWith('/') &&
            !/^[a-z]:/i.test(path) &&
            !path.includes('\\') &&
            !path.split('/').some((part) => part === '..' || part === '.' || part === ''),
        );
    });
  });
});
