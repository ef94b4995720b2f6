// What a version keeps, over the real stores of one machine, and how it is read.
import { expect } from 'chai';
import { systemClock } from '#adapters/system/clock';
import { sweepBlobs } from '#core/assets/offers';
import { writeList } from '#core/json-list';
import { everyModel, filesOf, writeVersions } from '#core/registry/reading';
import { newestFirst } from '#core/registry/rules';
import { showBare, showModel, writeListed } from '#core/registry/wire';
import { asBlobStore } from '#ports/blob-store';
import type { ByteStream } from '#ports/bytes';
import type { ModelVersion } from '#ports/model/registry';
import { addExperiment, freshId, start } from '#test/contract/storage/builders';
import { addModel, addModelFile, addVersion } from '#test/contract/storage/registry-builders';
import { embedded, folderOfBlobs, queueing } from '../opened.js';

async function* bytesOf(text: string): ByteStream {
  yield new TextEncoder().encode(text);
}

describe('what a version keeps', () => {
  const opened = embedded();
  const blob = folderOfBlobs();

  const stores = () => opened().storage.stores;
  const modelsOf = (workspaceId: string) =>
    writeList({}, 'registryModels', everyModel(stores().registry, workspaceId), writeListed);
  /** Runs the jobs that take away what nobody needs. */
  const cleanUp = async () => {
    await opened()
      .storage.jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);
    while (
      (await sweepBlobs(
        {
          uploads: stores().uploads,
          blobRecords: stores().blobRecords,
          blob: blob(),
          store: asBlobStore(blob()),
          clock: systemClock,
          ...queueing(opened().storage),
        },
        100,
        new AbortController().signal,
      )) > 0
    );
  };
  const isThere = (key: string) =>
    blob()
      .stat(key)
      .then(
        () => true,
        () => false,
      );
  const versionOf = async (id: string): Promise<ModelVersion> => {
    const found = await stores().modelVersions.findVersion(id);
    if (found === undefined) throw new Error('it was not stored');
    return found;
  };
  const textOf = async (pieces: AsyncIterable<string>) => {
    let text = '';
    for await (const piece of pieces) text += piece;
    return JSON.parse(text) as Record<string, unknown>;
  }; // every document is an object
  /** The statements that a work sends. */
  const statements = async (work: () => Promise<unknown>): Promise<number> => {
    let count = 0;
    const note = () => {
      count++;
    };
    const { db } = opened().storage.connection;
    db.on('query', note);
    await work();
    db.off('query', note);
    return count;
  };

  it('outlives the experiment with its bytes, and goes when the version goes', async () => {
    const [source, model] = [
      await addExperiment(opened().storage),
      await addModel(opened().storage),
    ];
    const [kept, loose] = [
      await addModelFile(opened().storage, source.id),
      await addModelFile(opened().storage, source.id, { groupingName: 'other' }),
    ];
    for (const { blobKey = '', fileName } of [kept, loose])
      await blob().put(blobKey, bytesOf(fileName));
    const { id } = await addVersion(opened().storage, model, { source });

    await stores().experiments.markDeleted(source.id, start);
    await cleanUp();
    expect([await isThere(kept.blobKey ?? ''), await isThere(loose.blobKey ?? '')]).to.deep.equal([
      true,
      false,
    ]);
    const pages = [];
    for await (const page of filesOf(stores().modelVersions, await versionOf(id)))
      pages.push(...page);
    expect(
      pages.map(({ asset, current }) => [asset.fileName, asset.blobKey, current]),
    ).to.deep.equal([['weights.bin', kept.blobKey, false]]);

    await stores().modelVersions.markVersionDeleted(id, start);
    await cleanUp();
    expect(await isThere(kept.blobKey ?? '')).to.equal(false);
  });

  it('is read in as many statements for fifty versions as for one', async () => {
    const [source, model] = [
      await addExperiment(opened().storage),
      await addModel(opened().storage),
    ];
    for (const fileName of ['a', 'b'])
      await addModelFile(opened().storage, source.id, { fileName });
    for (let i = 0; i < 50; i++)
      await addVersion(opened().storage, model, { source, version: `${i}.0.0` });
    const found = await stores().registry.findModel(model.id);
    if (found === undefined) throw new Error('it was not stored');
    let document: Record<string, unknown> = {};

    const sent = await statements(async () => {
      document = await textOf(
        writeVersions(
          stores().modelVersions,
          { a: 1 },
          found,
          newestFirst(await stores().modelVersions.listVersions(model.id)),
          'http://orrery.test',
        ),
      );
    });

    expect(sent).to.equal(2);
    const versions = document['versions'] as readonly {
      readonly version: string;
      readonly assets: readonly { readonly fileName: string }[];
    }[]; // as the row says
    expect([document['a'], versions.length]).to.deep.equal([1, 50]);
    expect(
      versions.map(({ version, assets }) => [version, assets.map(({ fileName }) => fileName)]),
    ).to.deep.equal(Array.from({ length: 50 }, (_, i) => [`${49 - i}.0.0`, ['a', 'b']]));
  });

  it('is read some at a time when a version has thousands of files', async () => {
    const [source, model] = [
      await addExperiment(opened().storage),
      await addModel(opened().storage),
    ];
    const facts = {
      ...(await addModelFile(opened().storage, source.id, { fileName: '0' })),
      blobKey: undefined,
      remoteLink: 's3://b/c',
    };
    await stores().assets.insertRemote(
      source.id,
      Array.from({ length: 2300 }, (_, i) => ({
        ...facts,
        id: `f${i}`,
        rowId: freshId(),
        fileName: String(i + 1),
      })),
    );
    const [large, small] = [
      await addVersion(opened().storage, model, { source, version: '1.0.0' }),
      await addVersion(opened().storage, model, { version: '2.0.0' }),
    ];
    const found = await stores().registry.findModel(model.id);
    if (found === undefined) throw new Error('it was not stored');

    const document = await textOf(
      writeVersions(
        stores().modelVersions,
        { a: 1 },
        found,
        [await versionOf(large.id), await versionOf(small.id)],
        'http://orrery.test',
      ),
    );

    const versions = document['versions'] as readonly {
      readonly assets: readonly { readonly fileName: string }[];
    }[]; // as the row says
    expect(versions.map(({ assets }) => assets.map(({ fileName }) => fileName))).to.deep.equal([
      Array.from({ length: 2301 }, (_, i) => String(i)),
      ['weights.bin'],
    ]);
  });

  it('is listed as it is shown on its own, whatever its texts hold', async () => {
    const text = '"\\ \u2028 é🦄\n';
    const made = await addModel(opened().storage, { name: text });
    await stores().registry.updateModel(made.id, { description: text, updatedAt: start });
    const { id } = await addVersion(opened().storage, made, {
      version: '1.0.0',
      tags: [text, 'b'],
      comment: text,
    });
    await stores().modelVersions.updateVersion(id, {
      metadata: JSON.stringify([{ key: text, value: text }]),
      updatedAt: start + 1,
    });
    const [model, version] = [await stores().registry.findModel(made.id), await versionOf(id)];
    if (model === undefined) throw new Error('it was not stored');

    expect(await textOf(modelsOf(made.workspaceId))).to.deep.equal({
      registryModels: [
        {
          ...showModel(model),
          latestVersion: { ...showBare(version), metadata: [{ key: text, value: text }] },
        },
      ],
    });

    const bare = await addModel(opened().storage);
    const shown = await stores().registry.findModel(bare.id);
    expect(await textOf(modelsOf(bare.workspaceId))).to.deep.equal({
      registryModels: [{ ...showModel(shown ?? model), latestVersion: null }],
    });
  });

  it('is listed with all models of a workspace, five hundred in each statement', async () => {
    const first = await addModel(opened().storage);
    for (let i = 0; i < 620; i++)
      await addModel(opened().storage, {
        workspaceId: first.workspaceId,
        userId: first.userId,
        name: `m${i}`,
      });
    let document: Record<string, unknown> = {};

    const sent = await statements(async () => {
      document = await textOf(modelsOf(first.workspaceId));
    });

    expect([sent, (document['registryModels'] as readonly unknown[]).length]).to.deep.equal([
      2, 621,
    ]); // a list of models
    expect(await textOf(modelsOf(freshId()))).to.deep.equal({
      registryModels: [],
    });
  });
});
