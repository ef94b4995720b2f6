// What is told of a run beside its values and is read back: notes, cloud, dependencies, the error of a crash, links, names of assets, sizes of images.
import { expect } from 'chai';
import { isRefused, isSaved, onEveryStorage, rest, write } from './stage.js';

/** A PNG's first bytes, which tell 7 by 5 pixels. */
const png = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000070000000508020000004c5c6df6',
  'hex',
);

onEveryStorage('what is told of a run', (stage) => {
  const post = (path: string, body: object) =>
    stage.python.send('POST', `${write}/experiment/${path}`, body);

  it('keeps notes of a run, which is then found by hasNotes until they are emptied', async () => {
    const [key, other] = [
      await stage.make({ projectName: 'with notes' }),
      await stage.make({ projectName: 'with notes' }),
    ];
    const { projectId } = await stage.get('metadata', key);
    const find = async (value: number) => {
      const rule = {
        id: 'hasNotes',
        field: 'hasNotes',
        type: 'boolean',
        operator: 'equal',
        value,
        source: 'metadata',
      };
      const found = await stage.python.send('POST', `${rest}/experiments/search`, {
        projectId,
        rulesTree: { condition: 'AND', rules: [rule], valid: true },
        limit: 10,
        page: 1,
        deleted: false,
      });
      return (found.json['experiments'] as readonly { experimentKey: string }[]).map(
        ({ experimentKey }) => experimentKey,
      ); // the reply of that row
    };
    expect([await stage.get('notes', key), await find(1)]).to.deep.equal([{ notes: '' }, []]);

    isSaved(await post('notes', { experimentKey: key, notes: 'first' }));
    isSaved(await post('notes', { experimentKey: key, notes: '# Why\n<b>é\u{1f600}' }));

    expect(await stage.get('notes', key)).to.deep.equal({ notes: '# Why\n<b>é\u{1f600}' });
    expect([await find(1), await find(0)]).to.deep.equal([[key], [other]]);
    isSaved(await post('notes', { experimentKey: key, notes: '' }));
    expect([await stage.get('notes', key), await find(1)]).to.deep.equal([{ notes: '' }, []]);
  });

  it('refuses notes above 1 MiB, and keeps the former', async () => {
    const key = await stage.make();
    await post('notes', { experimentKey: key, notes: 'short' });

    isRefused(
      await post('notes', { experimentKey: key, notes: 'é'.repeat(2 ** 19 + 1) }),
      400,
      7_777_777,
    );

    expect(await stage.get('notes', key)).to.deep.equal({ notes: 'short' });
  });

  it('gives the cloud and the dependencies back as they were set last', async () => {
    const key = await stage.make();
    expect([
      await stage.get('cloud-details', key),
      await stage.get('dependencies', key),
    ]).to.deep.equal([{ provider: null, metadata: null }, { dependencies: [] }]);

    isSaved(
      await post('cloud-details', {
        experimentKey: key,
        provider: 'AWS',
        metadata: { region: 'eu-1', nested: { n: [1] } },
      }),
    );
    isSaved(
      await stage.python.send('PUT', `${write}/experiment/dependencies`, {
        experimentKey: key,
        timestamp: 1,
        logDependencies: [
          { name: 'numpy', version: '2.0' },
          { name: 'odd', version: null },
        ],
      }),
    );

    expect(await stage.get('cloud-details', key)).to.deep.equal({
      provider: 'AWS',
      metadata: { region: 'eu-1', nested: { n: [1] } },
    });
    expect(await stage.get('dependencies', key)).to.deep.equal({
      dependencies: [
        { name: 'numpy', version: '2.0' },
        { name: 'odd', version: null },
      ],
    });
  });

  it('shows the error of a crashed run until its state is set again or the run goes on', async () => {
    const key = await stage.make();
    const error = 'Traceback <é>:\n  ValueError: \u{1f600}';
    const told = async () => [
      (await stage.get('metadata', key))['error'],
      (await stage.get('error', key))['error'],
    ];
    const crash = () =>
      post('update-status', { experimentKey: key, isAlive: false, error, hasCrashed: true });
    expect(await told()).to.deep.equal([null, null]);

    isSaved(await crash());
    expect(await told()).to.deep.equal([error, error]);
    isSaved(
      await post('update-status', {
        experimentKey: key,
        isAlive: false,
        error: null,
        hasCrashed: false,
      }),
    );
    expect(await told()).to.deep.equal([null, null]);
    await crash();
    expect(
      (await stage.python.send('POST', '/clientlib/logger/get/run', { previousExperiment: key }))
        .status,
    ).to.equal(200);
    expect(await told()).to.deep.equal([null, null]);
  });

  it('keeps the state of a run whose error is too long, and the first million characters of it', async () => {
    const key = await stage.make();

    isSaved(
      await post('update-status', {
        experimentKey: key,
        isAlive: false,
        error: 'x'.repeat(1_100_000),
        hasCrashed: true,
      }),
    );

    const shown = await stage.get('metadata', key);
    expect([shown['hasCrashed'], String(shown['error']).length]).to.deep.equal([true, 1_000_000]);
  });

  it('removes the link to a run from one project, and neither the run nor its other links', async () => {
    const key = await stage.make({ projectName: 'at home' });
    for (const projectName of ['linked', 'linked too']) {
      await stage.make({ projectName });
      expect(
        (
          await stage.r.get(
            `${write}/project/symlink?experimentKey=${key}&projectName=${encodeURIComponent(projectName)}`,
          )
        ).status,
      ).to.equal(200);
    }
    const holds = async (projectName: string) => {
      const { json } = await stage.python.get(
        `${rest}/experiments?workspaceName=${stage.server.workspace}&projectName=${encodeURIComponent(projectName)}`,
      );
      return (json['experiments'] as readonly { experimentKey: string }[]).some(
        ({ experimentKey }) => experimentKey === key,
      ); // the reply of that row
    };
    const unlink = (projectName: string) =>
      stage.python.send('POST', `${write}/project/symlink/delete`, {
        experimentKey: key,
        workspaceName: stage.server.workspace,
        projectName,
      });

    const removed = [
      (await unlink('linked')).json['removed'],
      (await unlink('linked')).json['removed'],
      (await unlink('at home')).json['removed'],
    ];

    expect(removed).to.deep.equal([true, false, false]);
    expect([
      await holds('at home'),
      await holds('linked'),
      await holds('linked too'),
    ]).to.deep.equal([true, false, true]);
  });

  it('finds the names of assets that hold a phrase among runs, within its bounds', async () => {
    const [one, other, third] = [await stage.make(), await stage.make(), await stage.make()];
    const upload = async (key: string, fileName: string) => {
      expect(
        (
          await stage.python.sendFile(
            `${write}/experiment/upload-asset?experimentKey=${key}&fileName=${encodeURIComponent(fileName)}`,
            Buffer.from('x'),
            'x',
          )
        ).status,
      ).to.equal(200);
    };
    for (const [key, name] of [
      [one, 'Model.pt'],
      [other, 'Model.pt'],
      [one, 'my-model.onnx'],
      [third, 'model elsewhere'],
      [one, 'other'],
    ] as const)
      await upload(key, name);
    const search = (experimentKeys: readonly string[], phrase: string) =>
      stage.python.send('POST', `${rest}/experiments/assets/search`, { experimentKeys, phrase });

    const found = (await search([one, other], 'MODEL')).json;

    const assets = (
      found['assets'] as readonly { fileName: string; experimentKeys: readonly string[] }[]
    ).map(({ fileName, experimentKeys }) => [fileName, [...experimentKeys].sort()]); // the reply of that row
    expect([assets, found['complete']]).to.deep.equal([
      [
        ['Model.pt', [one, other].sort()],
        ['my-model.onnx', [one]],
      ],
      true,
    ]);
    expect((await search([one], 'mo')).json['msg']).to.equal(
      'phrase must be at least 3 characters',
    );
    isRefused(await search([one, 'unknown'.repeat(5)], 'model'), 400, 90211);
  });

  it('shows width and height of an image, and of nothing else', async () => {
    const key = await stage.make();
    for (const [name, bytes] of [
      ['a.png', png],
      ['b.txt', Buffer.from('text')],
    ] as const)
      await stage.python.sendFile(
        `${write}/experiment/upload-asset?experimentKey=${key}&fileName=${name}${name === 'a.png' ? '&type=image' : ''}`,
        bytes,
        name,
      );

    const { assets } = await stage.get('asset/list', key);

    expect(
      (assets as readonly Record<string, unknown>[]).map(({ fileName, width, height }) => [
        fileName,
        width,
        height,
      ]),
    ).to.deep.equal([
      ['a.png', 7, 5],
      ['b.txt', null, null],
    ]); // the reply of that row
  });
});

onEveryStorage(
  'a search for assets with low bounds',
  (stage) => {
    it('refuses more runs than are allowed, and says when there are more names than it lists', async () => {
      const keys = [await stage.make(), await stage.make(), await stage.make()];
      for (const name of ['run 1', 'run 2', 'run 3'])
        await stage.python.sendFile(
          `${write}/experiment/upload-asset?experimentKey=${keys[0] ?? ''}&fileName=${encodeURIComponent(name)}`,
          Buffer.from('x'),
          'x',
        );
      const search = (experimentKeys: readonly string[], phrase: string) =>
        stage.python.send('POST', `${rest}/experiments/assets/search`, { experimentKeys, phrase });

      const found = (await search(keys.slice(0, 2), 'run')).json;

      expect([
        (found['assets'] as readonly { fileName: string }[]).map(({ fileName }) => fileName),
        found['complete'],
      ]).to.deep.equal([['run 1', 'run 2'], false]); // the reply of that row
      expect((await search(keys.slice(0, 2), 'run 3')).json['complete']).to.equal(true);
      expect((await search(keys, 'run')).json['msg']).to.equal(
        'experimentKeys must name at most 2 experiments',
      );
    });
  },
  { env: { MAX_ASSET_NAMES_IN_ASSET_SEARCH: '2', MAX_EXPERIMENTS_IN_ASSET_SEARCH: '2' } },
);
