import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, start as at } from './builders.js';

/** What every store of an experiment's documents keeps. */
export const documentContract = (storage: () => Storage): void => {
  const documents = () => storage().stores.documents;

  it('answers nothing for a document never stored', async () => {
    const { id } = await addExperiment(storage());

    expect(await documents().read(id, 'git')).to.equal(undefined);
  });

  it('passes the current text to a change and stores the result', async () => {
    const { id } = await addExperiment(storage());
    const seen: (string | undefined)[] = [];
    const change = (after: string) =>
      documents().change(id, 'system', (before) => {
        seen.push(before);
        return after;
      });

    await change('{"a":1}');
    await change('{"a":"ü😀\\u0000"}');

    expect(seen).to.deep.equal([undefined, '{"a":1}']);
    expect(await documents().read(id, 'system')).to.equal('{"a":"ü😀\\u0000"}');
    expect(await documents().read(id, 'git')).to.equal(undefined);
  });

  it('loses no change to a concurrent one', async () => {
    const { id } = await addExperiment(storage());

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        documents().change(id, 'cloud', (before) => `${before ?? ''},${i}`),
      ),
    );

    expect(
      ((await documents().read(id, 'cloud')) ?? '')
        .split(',')
        .slice(1)
        .map(Number)
        .sort((a, b) => a - b),
    ).to.deep.equal(Array.from({ length: 20 }, (_, i) => i));
  });

  it('keeps a document of several MiB', async function () {
    this.timeout(30_000);
    const { id } = await addExperiment(storage());
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => `package-${i}==1.0.0`));

    await documents().change(id, 'dependencies', () => text);

    expect((await documents().read(id, 'dependencies')) === text).to.equal(true);
  });

  it('keeps what was there when a change fails', async () => {
    const { id } = await addExperiment(storage());
    await documents().change(id, 'git', () => 'kept');

    const failed = await documents()
      .change(id, 'git', () => {
        throw new Error('no');
      })
      .catch(() => 'failed');

    expect(failed).to.equal('failed');
    expect(await documents().read(id, 'git')).to.equal('kept');
  });

  it('refuses a change of an experiment that is deleted', async () => {
    const { id } = await addExperiment(storage());
    await storage().stores.experiments.markDeleted(id, at);

    const kind = await documents()
      .change(id, 'git', () => 'x')
      .then(
        () => 'done',
        (thrown: unknown) => (isFailure(thrown) ? thrown.kind : 'defect'),
      );

    expect(kind).to.equal('absent');
  });
};
