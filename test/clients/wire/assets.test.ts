// Uploads as the Java, R and Python clients put them on the wire, byte by byte, against a started server.
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { readZip } from './zips.js';
import { startServer, triedStorages, type StartedServer } from '../server.js';

interface PartSent {
  readonly name: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly content: Buffer | string;
}

/** A multipart body written by hand, since libraries would not leave out what some clients leave out. */
const encode = (parts: readonly PartSent[]): { readonly type: string; readonly body: Buffer } => {
  const boundary = `----${randomBytes(12).toString('hex')}`;
  const pieces = parts.flatMap(({ name, fileName, type, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
};

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- any shape may come back
}

const png = (width: number, height: number): Buffer => {
  const head = Buffer.alloc(33);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
};

for (const storage of triedStorages)
  describe(`uploads on the wire on ${storage}`, () => {
    let server: StartedServer;
    let key: string;

    before('start a server', async function () {
      const started = await startServer({
        storage,
        env: {
          ASSET_REDIRECT_SIZE_LIMIT: '100000',
          ORRERY_IMAGES_PER_EXPERIMENT_LIMIT: '3',
          ORRERY_VIDEO_SIZE_LIMIT_MB: '1',
          ORRERY_CHECK_REPLIES: '1',
        },
      });
      if ('missing' in started) return pendingUnlessAll(this, started.missing);
      server = started;
    });
    after(() => server?.stop());

    const send = async (
      method: string,
      path: string,
      options: {
        readonly body?: Buffer | string;
        readonly type?: string;
        readonly credential?: boolean;
        readonly headers?: Record<string, string>;
      } = {},
    ): Promise<Reply> => {
      const reply = await fetch(path.startsWith('http') ? path : `${server.url}${path}`, {
        method,
        redirect: 'manual',
        ...(options.body === undefined ? {} : { body: options.body }),
        headers: {
          ...(options.credential === false ? {} : { 'Comet-Sdk-Api': server.apiKey }),
          ...(options.type === undefined ? {} : { 'Content-Type': options.type }),
          ...options.headers,
        },
      });
      const bytes = Buffer.from(await reply.arrayBuffer());
      return {
        status: reply.status,
        headers: reply.headers,
        bytes,
        get json() {
          return JSON.parse(bytes.toString());
        },
      };
    };
    const post = (path: string, body: unknown) =>
      send('POST', path, { body: JSON.stringify(body), type: 'application/json' });
    const query = (given: Record<string, string>) => new URLSearchParams(given).toString();
    const upload = (
      given: Record<string, string>,
      parts: readonly PartSent[],
      path = '/api/rest/v2/write/experiment/upload-asset',
    ) => {
      const { type, body } = encode(parts);
      return send('POST', `${path}?${query({ experimentKey: key, ...given })}`, { body, type });
    };
    const list = async (type = 'all') =>
      (
        await send(
          'GET',
          `/api/rest/v2/experiment/asset/list?${query({ experimentKey: key, type })}`,
        )
      ).json.assets;
    const content = (assetId: string, more: Record<string, string> = {}) =>
      send(
        'GET',
        `/api/rest/v2/experiment/asset/get-asset?${query({ experimentKey: key, assetId, ...more })}`,
      );

    beforeEach(async () => {
      key = (
        await post('/api/rest/v2/write/experiment/create', {
          workspaceName: server.workspace,
          projectName: 'uploads',
        })
      ).json.experimentKey;
    });

    it('lists nothing for a fresh experiment', async () => {
      expect(await list()).to.deep.equal([]);
      expect(
        (await send('GET', `/api/rest/v2/experiment/model?experimentKey=${key}`)).json.models,
      ).to.deep.equal([]);
    });

    it('takes a file part without a file name as bytes, with the metadata before it', async () => {
      const bytes = randomBytes(70_000);
      const reply = await upload(
        {
          fileName: 'code.bin',
          extension: '',
          type: 'asset',
          step: '3',
          epoch: '1',
          context: 'train',
        },
        [
          { name: 'metadata', content: '{"a":1}' },
          { name: 'file', type: 'application/octet-stream', content: bytes },
        ],
      );

      expect(reply.status).to.equal(200);
      expect(reply.json).to.include({ msg: 'Saved', code: 200, data: null, sdk_error_code: 0 });
      const [asset, ...others] = await list();
      expect(others).to.deep.equal([]);
      expect(asset).to.include({
        assetId: reply.json.assetId,
        fileName: 'code.bin',
        fileSize: 70_000,
        runContext: 'train',
        step: 3,
        remote: false,
        metadata: '{"a":1}',
        type: 'asset',
        dir: 'assets',
        experimentKey: key,
      });
      expect((await content(asset.assetId)).bytes.equals(bytes)).to.equal(true);
      expect((await send('GET', asset.link)).bytes.equals(bytes)).to.equal(true);
    });

    it('takes name and type from the file part, with the metadata after it, and serves text as text', async () => {
      const reply = await upload({}, [
        { name: 'file', fileName: 'script.R', type: 'text/plain', content: 'print(1)\n' },
        { name: 'metadata', content: '{"name":"x","n":[1,2]}' },
      ]);

      const [asset] = await list();
      expect(asset).to.include({
        fileName: 'script.R',
        type: 'asset',
        metadata: '{"name":"x","n":[1,2]}',
      });
      const got = await content(reply.json.assetId, { allow301: 'FALSE' });
      expect([got.headers.get('content-type'), got.bytes.toString()]).to.deep.equal([
        'text/plain',
        'print(1)\n',
      ]);
    });

    it('serves JSON as JSON and the rest as bytes', async () => {
      const one = await upload({ fileName: 'c', type: 'curve' }, [
        { name: 'file', content: '{"x":[1],"y":[2],"name":"c"}' },
      ]);
      const other = await upload({ fileName: 'weights.h5' }, [{ name: 'file', content: 'w' }]);

      expect((await content(one.json.assetId)).headers.get('content-type')).to.equal(
        'application/json',
      );
      expect((await content(other.json.assetId)).headers.get('content-type')).to.equal(
        'application/octet-stream',
      );
      expect(
        (await list('curve')).map((asset: { fileName: string }) => asset.fileName),
      ).to.deep.equal(['c']);
    });

    it('takes a link as a plain field and as a file part', async () => {
      const plain = await upload({ isRemote: 'TRUE', fileName: 'far' }, [
        { name: 'link', content: 's3://bucket/a b?c=1' },
        { name: 'metadata', content: '{}' },
      ]);
      const file = await upload({ isRemote: 'true', fileName: 'farther' }, [
        { name: 'link', fileName: 'link', content: 'gs://bucket/x' },
      ]);

      expect([plain.status, file.status]).to.deep.equal([200, 200]);
      expect(
        (await list()).map((asset: Record<string, unknown>) => [
          asset['remote'],
          asset['link'],
          asset['fileSize'],
          asset['metadata'],
        ]),
      ).to.deep.equal([
        [true, 's3://bucket/a b?c=1', 0, null],
        [true, 'gs://bucket/x', 0, null],
      ]);
      expect((await content(plain.json.assetId)).status).to.equal(400);
    });

    it('refuses an upload that has neither or both, and leaves nothing of it', async () => {
      const neither = await upload({ fileName: 'x' }, [{ name: 'metadata', content: '{}' }]);
      const both = await upload({ fileName: 'x' }, [
        { name: 'file', content: 'a' },
        { name: 'link', content: 's3://b/c' },
      ]);

      expect([neither.status, neither.json.sdk_error_code, both.status]).to.deep.equal([
        400, 7777777, 400,
      ]);
      expect(await list()).to.deep.equal([]);
    });

    it('keeps a file of no bytes', async () => {
      const { assetId } = (
        await upload({ fileName: 'empty.txt' }, [{ name: 'file', fileName: 'file', content: '' }])
      ).json;

      const got = await content(assetId);
      expect([got.status, got.bytes.length, (await list())[0].fileSize]).to.deep.equal([200, 0, 0]);
    });

    it('keeps every one of many files that arrive side by side', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `folder/sub/${i}.bin`);

      const replies = await Promise.all(
        names.map((fileName) =>
          upload({ fileName, type: 'model-element', groupingName: 'net' }, [
            { name: 'metadata', content: '{}' },
            { name: 'file', type: 'application/octet-stream', content: fileName },
          ]),
        ),
      );

      expect(replies.every((reply) => reply.status === 200)).to.equal(true);
      const assets = await list();
      expect(assets.map((asset: { fileName: string }) => asset.fileName).sort()).to.deep.equal(
        [...names].sort(),
      );
      expect(new Set(assets.map((asset: { dir: string }) => asset.dir))).to.deep.equal(
        new Set(['models/net']),
      );
    });

    for (const name of [
      '../../etc/passwd',
      'x'.repeat(300),
      'a\u202egnp.exe',
      '🦄 é 漢.txt',
      'C:\\temp\\a.txt',
      ' lead and trail ',
      '"quoted"; rm',
    ]) {
      it(`gives the name ${JSON.stringify(name.slice(0, 24))} back as it was`, async () => {
        const { assetId } = (await upload({ fileName: name }, [{ name: 'file', content: 'x' }]))
          .json;

        expect((await list())[0].fileName).to.equal(name);
        const found = (
          await send(
            'GET',
            `/api/rest/v2/experiment/asset/get-by-name?${query({ experimentKey: key, assetName: name })}`,
          )
        ).json.assets;
        expect(found.map((asset: { assetId: string }) => asset.assetId)).to.deep.equal([assetId]);
        expect((await content(assetId)).bytes.toString()).to.equal('x');
      });
    }

    it('refuses NUL in a name', async () => {
      expect(
        (await upload({ fileName: 'a\0b' }, [{ name: 'file', content: 'x' }])).status,
      ).to.equal(400);
    });

    it('replaces one of the same name, type and grouping when told to, and only then', async () => {
      const first = (
        await upload({ fileName: 'm.txt', step: '1' }, [{ name: 'file', content: 'one' }])
      ).json.assetId;
      await upload({ fileName: 'm.txt', type: 'model-element', groupingName: 'a' }, [
        { name: 'file', content: 'of a' },
      ]);
      const second = (
        await upload({ fileName: 'm.txt', step: '2', context: 'c', overwrite: 'True' }, [
          { name: 'metadata', content: '{"v":2}' },
          { name: 'file', content: 'second' },
        ])
      ).json.assetId;

      const assets = await list();
      expect([assets.length, second]).to.deep.equal([2, first]);
      expect(assets.find((asset: { type: string }) => asset.type === 'asset')).to.include({
        fileSize: 6,
        step: 2,
        runContext: 'c',
        metadata: '{"v":2}',
      });
      expect((await content(first)).bytes.toString()).to.equal('second');
      await upload({ fileName: 'm.txt', overwrite: 'false' }, [{ name: 'file', content: 'three' }]);
      expect((await list()).length).to.equal(3);
    });

    it('tells an upload of a known id that it is stored, and keeps the first', async () => {
      const assetId = randomBytes(16).toString('hex');
      const live = (path: string, parts: readonly PartSent[], more: Record<string, string>) => {
        const { type, body } = encode(parts);
        return send('POST', `${path}?${query({ experimentId: key, ...more })}`, { body, type });
      };

      expect(
        (
          await live(
            '/clientlib/asset/upload',
            [{ name: 'file', fileName: 'file', content: 'one' }],
            { assetId, fileName: 'a.txt', overwrite: 'False' },
          )
        ).json.assetId,
      ).to.equal(assetId);
      const again = await live(
        '/clientlib/asset/upload',
        [{ name: 'file', fileName: 'file', content: 'x'.repeat(3_000_000) }],
        { assetId, fileName: 'a.txt', overwrite: 'False' },
      );
      await live(
        '/clientlib/visualizations/upload',
        [{ name: 'file', fileName: '/tmp/a.png', content: png(4, 3) }],
        { imageId: `i${assetId}`, figName: 'fig', extension: '.png' },
      );
      const image = await live(
        '/clientlib/visualizations/upload',
        [{ name: 'file', fileName: '/tmp/a.png', content: png(4, 3) }],
        { imageId: `i${assetId}`, figName: 'fig' },
      );

      expect([
        again.status,
        again.json.sdk_error_code,
        image.status,
        image.json.sdk_error_code,
      ]).to.deep.equal([400, 7000005, 400, 7000006]);
      expect((await content(assetId)).bytes.toString()).to.equal('one');
      const [shown] = await list('image');
      expect(shown).to.include({
        assetId: `i${assetId}`,
        fileName: 'fig',
        image: true,
        type: 'image',
      });
      expect(
        (await send('GET', `/api/image/download?imageId=i${assetId}`)).bytes.equals(png(4, 3)),
      ).to.equal(true);
    });

    it('refuses images beyond the limit with their code', async () => {
      const add = () =>
        upload({ fileName: 'p', type: 'image' }, [{ name: 'file', content: png(1, 1) }]);
      for (let n = 0; n < 3; n++) expect((await add()).status).to.equal(200);

      const refused = await add();
      expect([
        refused.status,
        refused.json.sdk_error_code,
        (await list('image')).length,
      ]).to.deep.equal([400, 7000001, 3]);
    });

    it('refuses a file above the limit of its type and keeps nothing', async () => {
      const refused = await upload({ fileName: 'v.mp4', type: 'video' }, [
        { name: 'file', content: Buffer.alloc(1_100_000) },
      ]);

      expect([refused.status, (await list()).length]).to.deep.equal([413, 0]);
    });

    it('leaves nothing of an upload that breaks off', async () => {
      const { type, body } = encode([
        { name: 'file', fileName: 'cut.bin', content: Buffer.alloc(500_000, 1) },
      ]);
      const { hostname, port } = new URL(server.url);
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `POST /api/rest/v2/write/experiment/upload-asset?experimentKey=${key} HTTP/1.1\r\nHost: x\r\nAuthorization: ${server.apiKey}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
          );
          socket.write(body.subarray(0, 300_000), () => {
            socket.destroy();
            resolve();
          });
        });
        socket.once('error', reject);
      });

      expect(
        (await upload({ fileName: 'whole' }, [{ name: 'file', content: 'x' }])).status,
      ).to.equal(200);
      expect((await list()).map((asset: { fileName: string }) => asset.fileName)).to.deep.equal([
        'whole',
      ]);
    });

    it('names text samples itself and takes them as JSON too', async () => {
      await upload(
        { fileName: 'auto-generated-in-the-backend', extension: '', type: 'text-sample' },
        [
          { name: 'metadata', content: '{"k":"v"}' },
          { name: 'file', type: 'application/octet-stream', content: 'hello' },
        ],
      );
      const second = await post('/api/rest/v2/write/experiment/text-sample', {
        experimentKey: key,
        step: 4,
        metadata: Buffer.from('{"k":2}').toString('base64'),
        content: 'grüße',
      });

      const samples = await list('text-sample');
      expect(new Set(samples.map((asset: { fileName: string }) => asset.fileName)).size).to.equal(
        2,
      );
      expect(
        samples.map((asset: Record<string, unknown>) => [
          asset['fileSize'],
          asset['metadata'],
          asset['step'],
        ]),
      ).to.deep.equal([
        [5, '{"k":"v"}', null],
        [7, '{"k":2}', 4],
      ]);
      expect((await content(second.json.assetId)).bytes.toString()).to.equal('grüße');
    });

    it('deletes an asset, which every read then misses', async () => {
      const { assetId, link } = (
        await upload({ fileName: 'gone' }, [{ name: 'file', content: 'x' }])
      ).json;

      expect(
        (
          await send(
            'GET',
            `/api/rest/v2/write/experiment/asset/delete?${query({ experimentKey: key, assetId })}`,
          )
        ).status,
      ).to.equal(200);
      expect([
        (await content(assetId)).status,
        (await send('GET', link)).status,
        (await list()).length,
      ]).to.deep.equal([400, 400, 0]);
      expect(
        (
          await send(
            'GET',
            `/api/rest/v2/write/experiment/asset/delete?${query({ experimentKey: key, assetId })}`,
          )
        ).status,
      ).to.equal(400);
    });

    it('answers ranges', async () => {
      const { link } = (await upload({ fileName: 'r' }, [{ name: 'file', content: '0123456789' }]))
        .json;

      const some = await send('GET', link, { headers: { Range: 'bytes=2-4' } });
      expect([some.status, some.bytes.toString(), some.headers.get('content-range')]).to.deep.equal(
        [206, '234', 'bytes 2-4/10'],
      );
      expect((await send('GET', link, { headers: { Range: 'bytes=10-' } })).status).to.equal(416);
    });

    it('sends a client that allows it to a signed link, which needs no key and takes ranges', async () => {
      const bytes = randomBytes(150_000);
      const { assetId } = (await upload({ fileName: 'big' }, [{ name: 'file', content: bytes }]))
        .json;

      expect((await content(assetId)).status).to.equal(200);
      const sent = await content(assetId, { allow301: 'True' });
      expect([sent.status, sent.headers.get('location')?.includes(server.apiKey)]).to.deep.equal([
        302,
        false,
      ]);
      const target = sent.headers.get('location') ?? '';
      const some = await send('GET', target, {
        credential: false,
        headers: { Range: 'bytes=100000-149999' },
      });
      expect([some.status, some.bytes.equals(bytes.subarray(100_000))]).to.deep.equal([206, true]);
      expect(
        (
          await send(
            'GET',
            target.replace(/signature=./, (text) =>
              text.endsWith('A') ? 'signature=B' : 'signature=A',
            ),
            { credential: false },
          )
        ).status,
      ).to.equal(403);
      await send(
        'GET',
        `/api/rest/v2/write/experiment/asset/delete?${query({ experimentKey: key, assetId })}`,
      );
      expect((await send('GET', target, { credential: false })).status).to.equal(400);
    });

    it('joins a file that was sent in parts, by links that need no key', async () => {
      const bytes = randomBytes(60_000);
      const assetId = randomBytes(16).toString('hex');
      const started = await post('/clientlib/asset/upload-start', {
        apiKey: server.apiKey,
        experimentId: key,
        assetId,
        fileName: 'huge.bin',
        step: 5,
        context: null,
        type: null,
        overwrite: false,
        metadata: '{"m":1}',
        startUploadParams: { cloudType: 'AWS', preSignUrlTimeoutSec: 10_800, numOfFileParts: 3 },
      });
      expect([started.status, started.json.preSignUrl.length]).to.deep.equal([200, 3]);
      const sent: { readonly ETag: string; readonly PartNumber: number }[] = await Promise.all(
        started.json.preSignUrl.map(async (url: string, i: number) => {
          const reply = await send('PUT', url, {
            body: bytes.subarray(i * 20_000, (i + 1) * 20_000),
            credential: false,
          });
          expect(reply.status).to.equal(200);
          return { ETag: reply.headers.get('etag') ?? '', PartNumber: i + 1 };
        }),
      );
      const end = {
        requestId: started.json.requestId,
        succeed: true,
        fileSize: 60_000,
        uploadedFileParts: sent,
      };

      expect(
        (
          await post('/clientlib/asset/upload-complete', {
            ...end,
            uploadedFileParts: sent.map((part) => ({ ...part, ETag: '"other"' })),
          })
        ).status,
      ).to.equal(400);
      expect((await list()).length).to.equal(0);
      expect((await post('/clientlib/asset/upload-complete', end)).status).to.equal(200);
      expect((await post('/clientlib/asset/upload-complete', end)).json.assetId).to.equal(assetId);
      const [asset, ...others] = await list();
      expect(asset).to.include({
        assetId,
        fileName: 'huge.bin',
        fileSize: 60_000,
        step: 5,
        type: 'asset',
        metadata: '{"m":1}',
      });
      expect(others).to.deep.equal([]);
      expect(
        createHash('sha256')
          .update((await content(assetId)).bytes)
          .digest('hex'),
      ).to.equal(createHash('sha256').update(bytes).digest('hex'));
    });

    it('gives up an upload in parts that the client says has failed', async () => {
      const { requestId, preSignUrl } = (
        await post('/clientlib/visualizations/upload-start', {
          experimentId: key,
          imageId: 'i1',
          startUploadParams: { numOfFileParts: 1 },
        })
      ).json;

      expect(
        (
          await post('/clientlib/visualizations/upload-complete', {
            requestId,
            succeed: false,
            fileSize: -1,
          })
        ).status,
      ).to.equal(200);
      expect((await send('PUT', preSignUrl[0], { body: 'x', credential: false })).status).to.equal(
        400,
      );
      expect(await list()).to.deep.equal([]);
    });

    it('lists a model with its files and packs them under paths that stay inside', async () => {
      for (const fileName of ['net/a.txt', 'net/sub/b.txt', '../../evil.txt', '/abs.txt'])
        await upload({ fileName, type: 'model-element', groupingName: 'my net' }, [
          { name: 'file', content: `of ${fileName}` },
        ]);
      await post('/clientlib/asset/log-remote-model', {
        apiKey: server.apiKey,
        experimentKey: key,
        modelName: 'far net',
        remoteEntities: [{ assetId: 'r1', remoteUrl: 's3://b/m', fileName: 'm', metadata: null }],
      });

      const { models } = (await send('GET', `/api/rest/v2/experiment/model?experimentKey=${key}`))
        .json;
      expect(models.map((model: { modelName: string }) => model.modelName)).to.deep.equal([
        'far net',
        'my net',
      ]);
      const files = (
        await send(
          'GET',
          `/api/rest/v2/experiment/model/asset/list?${query({ experimentKey: key, modelName: 'far net' })}`,
        )
      ).json.assets;
      expect(
        files.map((asset: Record<string, unknown>) => [
          asset['assetId'],
          asset['remote'],
          asset['link'],
          asset['dir'],
        ]),
      ).to.deep.equal([['r1', true, 's3://b/m', 'models/far net']]);
      const zip = await send(
        'GET',
        `/api/rest/v2/experiment/model/download?${query({ experimentKey: key, modelName: 'my net' })}`,
      );
      expect(zip.headers.get('content-type')).to.equal('application/octet-stream');
      expect([...(await readZip(zip.bytes))]).to.deep.equal([
        ['net/a.txt', 'of net/a.txt'],
        ['net/sub/b.txt', 'of net/sub/b.txt'],
        ['evil.txt', 'of ../../evil.txt'],
        ['abs.txt', 'of /abs.txt'],
      ]);
    });

    it('keeps a 3D picture with its thumbnail and points', async () => {
      const limits = (
        await post('/clientlib/asset/3d-limits', { apiKey: server.apiKey, experimentKey: key })
      ).json;
      expect(limits).to.deep.equal({
        maxPoints: 1_000_000,
        maxPointsFileSizeInBytes: 50_000_000,
        maxBoxes: 1_000_000,
        maxBoxesFileSizeInBytes: 50_000_000,
      });
      const { assetId } = (
        await post('/clientlib/asset', {
          apiKey: server.apiKey,
          experimentKey: key,
          userFileName: 'cloud',
          assetType: '3d-image',
          step: 2,
          metadata: '{"c":1}',
        })
      ).json;
      const thumbnail = encode([
        {
          name: 'requestParams',
          type: 'application/json',
          content: JSON.stringify({
            apiKey: server.apiKey,
            experimentKey: key,
            thumbnailExtension: '.png',
          }),
        },
        { name: 'thumbnail', fileName: 'file', content: png(2, 2) },
      ]);
      const item = encode([
        {
          name: 'requestParams',
          type: 'application/json',
          content: JSON.stringify({
            apiKey: server.apiKey,
            assetId,
            experimentKey: key,
            userFileName: 'points.jsonl',
            assetItemType: 'points',
          }),
        },
        { name: 'assetItemContent', fileName: 'file', content: '[0,0,0]' },
      ]);

      expect(
        (
          await send('PUT', `/clientlib/asset/${assetId}/thumbnail`, {
            ...thumbnail,
            credential: false,
          })
        ).status,
      ).to.equal(200);
      expect(
        (await send('POST', '/clientlib/asset/asset-item', { ...item, credential: false })).status,
      ).to.equal(200);

      const assets = await list();
      expect(
        assets.map((asset: Record<string, unknown>) => [
          asset['assetId'],
          asset['fileName'],
          asset['type'],
          asset['step'],
          asset['metadata'],
        ]),
      ).to.deep.equal([[assetId, 'cloud', '3d-image', 2, '{"c":1}']]);
      const { items } = (await content(assetId)).json;
      const points = items.find((part: { type: string }) => part.type === '3d-points');
      expect((await content(points.assetId)).bytes.toString()).to.equal('[0,0,0]');
    });

    it('lists no asset for the filter of full metrics, and histograms for the combined one', async () => {
      await upload({ fileName: 'h', type: 'histogram3d' }, [{ name: 'file', content: '{}' }]);

      expect(await list('ASSET_TYPE_FULL_METRIC')).to.deep.equal([]);
      expect(
        (await list('histogram_combined_3d')).map((asset: { type: string }) => asset.type),
      ).to.deep.equal(['histogram3d']);
    });

    it('takes metadata from the query only where it is a JSON object', async () => {
      await upload({ fileName: 'a', metadata: 'annotations' }, [{ name: 'file', content: 'x' }]);
      await upload({ fileName: 'b', metadata: '{"q":NaN}' }, [{ name: 'file', content: 'x' }]);

      expect(
        (await list()).map((asset: { metadata: string | null }) => asset.metadata),
      ).to.deep.equal([null, '{"q":"NaN"}']);
    });

    it('adds tags to an asset and takes them away', async () => {
      const { assetId } = (await upload({ fileName: 't' }, [{ name: 'file', content: 'x' }])).json;
      await post('/api/rest/v2/write/experiment/asset/tags', {
        experimentKey: key,
        assetId,
        tags: ['b', 'a', 'b'],
      });
      await post('/api/rest/v2/write/experiment/asset/tags/delete', {
        experimentKey: key,
        assetId,
        tags: 'b',
      });

      expect((await list())[0].tags).to.deep.equal(['a']);
    });

    it('refuses an unknown experiment, a missing key and a missing credential', async () => {
      const { type, body } = encode([{ name: 'file', content: 'x' }]);
      const replies = [
        await send('POST', '/api/rest/v2/write/experiment/upload-asset?experimentKey=nope', {
          type,
          body,
        }),
        await send('POST', '/api/rest/v2/write/experiment/upload-asset', { type, body }),
        await send('POST', `/api/rest/v2/write/experiment/upload-asset?experimentKey=${key}`, {
          type,
          body,
          credential: false,
        }),
      ];

      expect(replies.map((reply) => [reply.status, reply.json.sdk_error_code])).to.deep.equal([
        [400, 90211],
        [400, 90998],
        [401, 90212],
      ]);
    });

    it('answers page links, after sign-in where they show something, and unknown addresses of its own as unknown', async () => {
      const sent = await send('GET', `/api/experiment/redirect?experimentKey=${key}`, {
        credential: false,
      });
      expect([sent.status, sent.headers.get('location')]).to.deep.equal([
        302,
        `${server.url}/experiment/${key}`,
      ]);
      expect((await send('GET', `/experiment/${key}`, { credential: false })).status).to.equal(303);
      expect((await send('GET', `/experiment/${key}`)).status).to.equal(200);
      const page = await send('GET', `/${server.workspace}/<i>p/${key}`.replace('<i>', '%3Ci%3E'));
      expect([
        page.status,
        page.headers.get('content-type'),
        page.bytes.toString().includes('<i>'),
      ]).to.deep.equal([200, 'text/html; charset=utf-8', false]);
      expect((await send('GET', '/api/not/there')).status).to.equal(404);
      expect((await send('GET', '/api/isAlive/ver', { credential: false })).status).to.equal(200);
    });
  });
