import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { freshId, start } from '#test/contract/storage/builders';
import {
  addModel,
  addModelFile,
  addSource,
  addVersion,
} from '#test/contract/storage/registry-builders';

/** What becomes of deleted models and versions, in every table there is. */
export const registryRemovalContract = (storage: () => SqlStorage): void => {
  const remove = (signal = new AbortController().signal) =>
    storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(signal);
  const tables = async (column: string): Promise<readonly string[]> => {
    const { db, dialect } = storage().connection;
    const rows = (await db('information_schema.columns')
      .select({ name: 'table_name' })
      .where('column_name', column)
      .whereRaw(`table_schema = ${dialect.currentSchema}`)) as readonly { readonly name: string }[]; // the column named
    return rows
      .map((row) => row.name)
      .filter((name) => name.startsWith('registry_'))
      .sort();
  };
  const holding = async (column: string, id: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const table of await tables(column))
      if (
        (await storage()
          .connection.db(table)
          .where({ [column]: id })
          .first()) !== undefined
      )
        found.push(table);
    return found;
  };
  /** A version with something in every table that versions have rows in. */
  const fill = async (
    model: Awaited<ReturnType<typeof addModel>>,
    version: string,
    source = undefined as Awaited<ReturnType<typeof addSource>> | undefined,
  ) => {
    const made = await addVersion(storage(), model, {
      version,
      ...(source === undefined ? {} : { source }),
    });
    const { modelVersions, approvals } = storage().stores;
    for (let i = 0; i < 3; i++)
      await modelVersions.appendHistory({
        id: freshId(),
        modelId: model.id,
        versionId: made.id,
        action: 'MODEL_VERSION_DOWNLOADED',
        comment: undefined,
        previous: {},
        next: {},
        userName: 'u',
        at: start,
      });
    await approvals.insertRequest({
      id: freshId(),
      workspaceId: model.workspaceId,
      modelId: model.id,
      versionId: made.id,
      status: 'QA',
      from: 'None',
      comment: undefined,
      userId: model.userId,
      createdAt: start,
    });
    return made;
  };
  const queued = async (key: string | undefined) =>
    (await storage().stores.blobRecords.listRemovals(10_000)).includes(key ?? '');

  it('removes every row of a deleted version, and leaves its neighbour as it was', async () => {
    const model = await addModel(storage());
    const [gone, there] = [await fill(model, '1.0.0'), await fill(model, '2.0.0')];
    expect(await holding('version_id', gone.id)).to.deep.equal(
      await tables('version_id'),
      'the case must fill every table',
    );

    await storage().stores.modelVersions.markVersionDeleted(gone.id, start);
    await remove();

    expect([
      await holding('version_id', gone.id),
      await storage().connection.db('registry_versions').where({ id: gone.id }),
    ]).to.deep.equal([[], []]);
    expect(await holding('version_id', there.id)).to.deep.equal(await tables('version_id'));
    expect(
      (await storage().stores.modelVersions.listVersions(model.id)).map(({ id }) => id),
    ).to.deep.equal([there.id]);
  });

  it('removes every row of a deleted model', async () => {
    const [model, other] = [await addModel(storage()), await addModel(storage())];
    const versions = [await fill(model, '1.0.0'), await fill(model, '2.0.0')];
    const there = await fill(other, '1.0.0');
    expect(await holding('model_id', model.id)).to.deep.equal(
      await tables('model_id'),
      'the case must fill every table',
    );

    await storage().stores.registry.markModelDeleted(model.id, start);
    await remove();

    for (const { id } of versions) expect(await holding('version_id', id)).to.deep.equal([]);
    expect([
      await holding('model_id', model.id),
      await storage().connection.db('registry_models').where({ id: model.id }),
    ]).to.deep.equal([[], []]);
    expect(await holding('version_id', there.id)).to.deep.equal(await tables('version_id'));
  });

  it('lets go of bytes when neither the experiment nor any version has them', async () => {
    const [model, source] = [await addModel(storage()), await addSource(storage())];
    const [asset] = await storage().stores.assets.list({ experimentId: source.id, limit: 1 });
    const [first, second] = [
      await fill(model, '1.0.0', source),
      await fill(model, '2.0.0', source),
    ];
    await storage().stores.experiments.markDeleted(source.id, start);
    await remove();
    expect([
      await storage().stores.assets.find(source.id, asset?.id ?? ''),
      await queued(asset?.blobKey),
    ]).to.deep.equal([undefined, false]);

    await storage().stores.modelVersions.markVersionDeleted(first.id, start);
    await remove();
    expect(await queued(asset?.blobKey)).to.equal(false);
    await storage().stores.modelVersions.markVersionDeleted(second.id, start);
    await remove();

    expect(await queued(asset?.blobKey)).to.equal(true);
  });

  it('lets go of bytes also where their queue was left behind', async () => {
    const [model, source] = [await addModel(storage()), await addSource(storage())];
    const [asset] = await storage().stores.assets.list({ experimentId: source.id, limit: 1 });
    const version = await fill(model, '1.0.0', source);
    await storage().stores.assets.remove(source.id, asset?.id ?? '');
    await storage().stores.blobRecords.forgetRemovals([asset?.blobKey ?? '']);

    await storage().stores.modelVersions.markVersionDeleted(version.id, start);
    await remove();

    expect(await queued(asset?.blobKey)).to.equal(true);
  });

  it('leaves the bytes of an asset that the experiment still has', async () => {
    const [model, source] = [await addModel(storage()), await addSource(storage())];
    const [asset] = await storage().stores.assets.list({ experimentId: source.id, limit: 1 });
    const version = await fill(model, '1.0.0', source);

    await storage().stores.modelVersions.markVersionDeleted(version.id, start);
    await remove();

    expect([await holding('version_id', version.id), await queued(asset?.blobKey)]).to.deep.equal([
      [],
      false,
    ]);
  });

  it('takes at most a thousand rows in one transaction', async function () {
    this.timeout(60_000);
    await remove();
    const [model, source] = [await addModel(storage()), await addSource(storage())];
    const facts = {
      ...(await addModelFile(storage(), source.id)),
      blobKey: undefined,
      remoteLink: 's3://b/c',
    };
    await storage().stores.assets.insertRemote(
      source.id,
      Array.from({ length: 1200 }, () => ({ ...facts, id: freshId(), rowId: freshId() })),
    );
    const version = await addVersion(storage(), model, { source });
    const { db } = storage().connection;
    await db('registry_history').insert(
      Array.from({ length: 2500 }, () => ({
        model_id: model.id,
        version_id: version.id,
        id: freshId(),
        action: 'MODEL_VERSION_DOWNLOADED',
        previous: '{}',
        next: '{}',
        user_name: 'u',
        at: start,
      })),
    );
    await storage().stores.registry.markModelDeleted(model.id, start);
    const taken: number[] = [];
    const note = (result: unknown, query: { readonly sql: string }) => {
      if (/^delete from .registry_(files|history).\s/.test(query.sql)) taken.push(rowsOf(result));
    };
    db.on('query-response', note);

    await remove();
    db.off('query-response', note);

    expect(taken.reduce((sum, rows) => sum + rows, 0)).to.equal(1202 + 2500);
    expect(Math.max(...taken)).to.be.at.most(1000);
  });

  it('stops when it is told to, and goes on where it was', async () => {
    const model = await addModel(storage());
    const version = await fill(model, '1.0.0');
    await storage().stores.registry.markModelDeleted(model.id, start);
    const stopped = new AbortController();
    stopped.abort();

    await remove(stopped.signal);
    expect(await storage().connection.db('registry_models').where({ id: model.id })).to.have.length(
      1,
    );
    await remove();

    expect([
      await holding('model_id', model.id),
      await holding('version_id', version.id),
    ]).to.deep.equal([[], []]);
  });
};

/** How many rows a driver says that a delete took. */
const rowsOf = (result: unknown): number =>
  typeof result === 'number'
    ? result
    : ((result as { readonly rowCount?: number }).rowCount ??
      (result as readonly [{ readonly affectedRows: number }])[0].affectedRows); // the answers of the two drivers
