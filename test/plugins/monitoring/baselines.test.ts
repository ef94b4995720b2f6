// Baselines of the events outside of a segment, and of files of artifacts.
import { expect } from 'chai';
import { createArtifactBaseline } from '#plugins/monitoring/artifact-baselines';
import { createBaseline, markBaseline, removeBaseline } from '#plugins/monitoring/baseline-making';
import { baselineSketch, baselinesOf } from '#plugins/monitoring/baselines';
import { DriftDays } from '#plugins/monitoring/drift-days';
import { findModel } from '#plugins/monitoring/models';
import { dayMs, type MonitoringNeeds } from '#plugins/monitoring/needs';
import { driftSeries } from '#plugins/monitoring/queries';
import { createSegment } from '#plugins/monitoring/segments';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
const span = { from: '2026-11-20', to: '2026-11-25' };
const ada = { userName: 'ada' } as Caller; // what is asked of the product is played here
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing was refused',
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );

describe('baselines of monitored models', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async () => {
    const world = await beginModel(tables);
    await world.send(
      Array.from({ length: 90 }, (_, at) => ({
        at: start - dayMs,
        features: { age: at, ...(at % 3 === 2 ? {} : { region: at % 3 === 0 ? 'eu' : 'us' }) },
      })),
    );
    return world;
  };

  it('of the rest of a segment hold the events that do not pass its filter, and those of which it says nothing', async () => {
    const { needs, model } = await begin();
    const asked = { name: 'europe', filter: 'region = eu' };
    const { segmentId } = await createSegment(needs, model, asked);

    const made = await createBaseline(
      needs,
      model,
      { kind: 'complement', segmentId, ...span },
      'ada',
      never,
    );

    expect(made).to.include({ kind: 'complement', sampleCount: 60, filter: 'region = eu' });
    const ages = await baselineSketch(needs, made, 'feature_age', start);
    expect([ages.numbers, ages.min, ages.sum]).to.deep.equal([60, 1, 2700]);
    const regions = await baselineSketch(needs, made, 'feature_region', start);
    expect([{ ...regions.texts }, regions.missing]).to.deep.equal([{ us: 30 }, 30]);
  });

  it('are what the next series of drift is held against, as soon as they are made, marked or removed', async () => {
    const { needs, model } = await begin();
    const kept = new DriftDays();
    const used = async () => {
      const current = await findModel(tables, model.id);
      if (current === undefined) throw new Error('the model is gone');
      const question = { model: current, signal: never };
      const asked = { name: 'age', ...span };
      return (await driftSeries(needs, question, asked, true, kept)).baseline?.baselineId ?? null;
    };
    const seen = [await used(), await used()];
    const window = { kind: 'window', ...span } as const;
    const [one, other] = [
      await createBaseline(needs, model, { ...window, isDefault: true }, 'ada', never),
      await createBaseline(needs, model, window, 'ada', never),
    ];
    seen.push(await used());
    await markBaseline(needs, other, true);
    seen.push(await used());
    await removeBaseline(needs, other);
    seen.push(await used());

    expect(seen).to.deep.equal([null, null, one.baselineId, other.baselineId, null]);
  });

  it('of the rest of a segment are refused without one that the model has', async () => {
    const { needs, model } = await begin();
    const make = (more: object) =>
      refusal(createBaseline(needs, model, { kind: 'complement', ...span, ...more }, 'ada', never));

    expect([
      await make({}),
      await make({ segmentId: 'x' }),
      await make({ segmentId: 'x', filter: 'a = 1' }),
    ]).to.deep.equal([
      'segmentId is required for the complement of a segment',
      'segment x not found',
      'a complement leaves out a segment and takes no filter',
    ]);
    expect(await baselinesOf(tables, model.id)).to.deep.equal([]);
  });

  describe('of a file of an artifact', () => {
    const csv = [
      'timestamp,age,region,prediction_value,code',
      ...Array.from({ length: 6000 }, (_, at) => `long ago,${at % 50},r${at % 2},yes,${at % 4}`),
    ].join('\n');
    const playing = (
      needs: Awaited<ReturnType<typeof beginModel>>['needs'],
      files: readonly { readonly assetId: string; readonly fileName: string }[],
      text = csv,
    ) => {
      const calls: unknown[] = [];
      const operations = {
        async call(id: string, { query }: { readonly query?: unknown }, caller: Caller) {
          calls.push([id, query, caller.userName]);
          // As the product answers long lists.
          const inText = (reply: object) => ({
            text: (async function* () {
              await Promise.resolve();
              const text = JSON.stringify(reply);
              yield text.slice(0, 20);
              yield Buffer.from(text.slice(20));
            })(),
          });
          if (id === 'listArtifactFiles') return inText({ files });
          if (id === 'getRegistryModel')
            return inText({
              versions: [
                { version: '1.0.0', experimentModel: { experimentKey: 'run' }, assets: files },
              ],
            });
          const body = {
            type: 'text/csv',
            async *open() {
              await Promise.resolve();
              for (let at = 0; at < text.length; at += 1000)
                yield Buffer.from(text.slice(at, at + 1000));
            },
          };
          // The one may also answer with an address.
          return id === 'getAsset' ? { status: 200, body } : body;
        },
      };
      return { calls, needs: { ...needs, operations } as unknown as MonitoringNeeds }; // the only other port that is asked
    };

    it('hold its rows, whose columns are features unless they say otherwise, of the types that the model has', async () => {
      const { needs: own, model, send } = await begin();
      await send([{ at: start - dayMs, features: { code: 'a text' } }]);
      const files = [
        { assetId: 'one', fileName: 'notes.txt' },
        { assetId: 'two', fileName: 'train.csv' },
      ];
      const { needs, calls } = playing(own, files);

      const made = await createArtifactBaseline(
        needs,
        model,
        { artifactVersionId: 'v', version: '1', isDefault: true },
        ada,
        never,
      );

      expect(calls).to.deep.equal([
        ['listArtifactFiles', { artifactVersionId: 'v' }, 'ada'],
        ['getAsset', { artifactVersionId: 'v', assetId: 'two' }, 'ada'],
      ]);
      expect(made).to.include({
        ...{ kind: 'artifact', datasetName: 'train.csv', artifactVersionId: 'v', version: '1' },
        ...{ sampleCount: 6000, isDefault: true, createdBy: 'ada' },
      });
      const sumOf = (column: string) => baselineSketch(needs, made, column, start);
      expect(await sumOf('feature_age')).to.include({ numbers: 6000, min: 0, max: 49 });
      expect((await sumOf('prediction_value')).texts).to.deep.equal({ yes: 6000 });
      expect((await sumOf('feature_code')).texts).to.deep.equal({
        ...{ 0: 1500, 1: 1500, 2: 1500, 3: 1500 },
      });
    });

    it('are refused where no file is meant or none can be read, and nothing is left', async () => {
      const { needs: own, model } = await begin();
      const two = ['a.csv', 'b.csv'].map((fileName) => ({ assetId: fileName, fileName }));
      const make = (
        files: readonly { readonly assetId: string; readonly fileName: string }[],
        asked: object,
        text?: string,
      ) =>
        refusal(createArtifactBaseline(playing(own, files, text).needs, model, asked, ada, never));

      expect([
        await make(two, {}),
        await make(two, { artifactVersionId: 'v' }),
        await make(two, { artifactVersionId: 'v', fileName: 'c.csv' }),
        await make([], { artifactVersionId: 'v' }),
        await make(two, { artifactVersionId: 'v', fileName: 'a.csv' }, 'age\n'),
        await make(two, { artifactVersionId: 'v', fileName: 'a.csv' }, 'age\n"1'),
      ]).to.deep.equal([
        'artifactVersionId or registryVersion is required for a baseline of an artifact',
        'the version of the artifact has several CSV files: fileName says which one is meant',
        'the version of the artifact has no file c.csv',
        'the version of the artifact has no CSV file',
        'the file has no row that can be read',
        'the CSV file ends within the quotes of a cell, in row 2',
      ]);
      expect(await baselinesOf(tables, model.id)).to.deep.equal([]);
    });

    it('may be a file of the registered version that the model stands for', async () => {
      const { needs: own, model } = await begin();
      const { needs, calls } = playing(own, [{ assetId: 'two', fileName: 'train.csv' }]);
      const make = (registryVersion: string, more: object = {}) =>
        createArtifactBaseline(needs, model, { registryVersion, ...more }, ada, never);

      expect(await make('1.0.0')).to.include({
        ...{ kind: 'artifact', datasetName: 'train.csv', sampleCount: 6000 },
        ...{ artifactVersionId: null, registryVersion: '1.0.0' },
      });
      expect(calls).to.deep.equal([
        ['getRegistryModel', { workspaceName: 'w', modelName: 'm' }, 'ada'],
        ['downloadAsset', { experimentKey: 'run', assetId: 'two' }, 'ada'],
      ]);
      expect(await refusal(make('2.0.0'))).to.equal('the registered model m has no version 2.0.0');
      expect(await refusal(make('1.0.0', { artifactVersionId: 'v' }))).to.equal(
        'artifactVersionId and registryVersion do not go together',
      );
    });

    it('are refused as the product refuses to show the file', async () => {
      const { needs: own, model } = await begin();
      const operations = {
        call: () => Promise.reject(new Failure('absent', 'artifact version v not found')),
      };
      const needs = { ...own, operations } as unknown as MonitoringNeeds; // as above
      const making = createArtifactBaseline(needs, model, { artifactVersionId: 'v' }, ada, never);

      expect(await refusal(making)).to.equal('artifact version v not found');
    });
  });
});
