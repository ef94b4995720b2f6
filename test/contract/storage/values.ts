import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { LoggedValue } from '#ports/storage/values';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, start as at } from './builders.js';

const value = (name: string, text: string, beside: Partial<LoggedValue> = {}): LoggedValue => ({
  name,
  text,
  context: undefined,
  step: undefined,
  timestamp: at,
  ...beside,
});

/** What every store of parameters, others and tags keeps. */
export const valueContract = (storage: () => Storage): void => {
  const values = () => storage().stores.values;
  const write = (experimentId: string, logged: readonly LoggedValue[], digest?: string) =>
    values().write({
      experimentId,
      kind: 'parameter',
      values: logged,
      receivedAt: at,
      ...(digest === undefined ? {} : { digest }),
    });
  const texts = async (experimentId: string, name: string) => {
    const [found] = await values().list(experimentId, 'parameter', [name]);
    return found === undefined ? undefined : [found.min.text, found.max.text, found.last.text];
  };

  describe('parameters and others', () => {
    it('keeps the text that was logged, with its context, step and time', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [
        value('train_rate', '122.0', { context: 'train', step: 7, timestamp: at + 5 }),
      ]);

      const moment = { text: '122.0', step: 7, timestamp: at + 5 };
      expect(await values().list(id, 'parameter')).to.deep.equal([
        { name: 'train_rate', context: 'train', min: moment, max: moment, last: moment },
      ]);
    });

    it('takes the value received last as the current one, whatever its time', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [value('lr', '0.5', { timestamp: at + 10 })]);
      await write(id, [value('lr', '0.3', { timestamp: at })]);

      expect((await values().list(id, 'parameter'))[0]?.last).to.deep.equal({
        text: '0.3',
        step: undefined,
        timestamp: at,
      });
    });

    it('keeps the smallest and largest number by size, not by text, with their times', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [value('n', '9', { timestamp: at + 1 })]);
      await write(id, [value('n', '10.0', { timestamp: at + 2 })]);
      await write(id, [value('n', '9.5', { timestamp: at + 3 })]);

      const [found] = await values().list(id, 'parameter');
      expect(found?.min).to.deep.equal({ text: '9', step: undefined, timestamp: at + 1 });
      expect(found?.max).to.deep.equal({ text: '10.0', step: undefined, timestamp: at + 2 });
      expect(found?.last.text).to.equal('9.5');
    });

    it('gives the same extremes when the values come in one batch', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [value('n', '9'), value('n', '10.0'), value('n', '9.5')]);

      expect(await texts(id, 'n')).to.deep.equal(['9', '10.0', '9.5']);
    });

    it('shows the newest value as both extremes while none was a number', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [value('mode', 'fast')]);
      await write(id, [value('mode', 'NaN')]);

      expect(await texts(id, 'mode')).to.deep.equal(['NaN', 'NaN', 'NaN']);
    });

    it('keeps the extremes of the numbers when a text follows them', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [value('n', '1')]);
      await write(id, [value('n', 'auto')]);
      await write(id, [value('n', '3')]);

      expect(await texts(id, 'n')).to.deep.equal(['1', '3', '3']);
    });

    it('keeps every digit of a whole number beyond 2^53 and of NaN and infinity', async () => {
      const { id } = await addExperiment(storage());

      await write(id, [
        value('big', '123456789012345678901'),
        value('inf', '-Infinity'),
        value('nan', 'NaN'),
      ]);

      expect((await values().list(id, 'parameter')).map((one) => one.last.text)).to.deep.equal([
        '123456789012345678901',
        '-Infinity',
        'NaN',
      ]);
    });

    it('tells names apart by capitals, accents and trailing blanks, and lists them in their order', async () => {
      const { id } = await addExperiment(storage());
      const names = ['a', 'A', 'a ', 'á'];

      await write(
        id,
        names.map((name) => value(name, name)),
      );

      expect(
        (await values().list(id, 'parameter')).map((one) => [one.name, one.last.text]),
      ).to.deep.equal([...names].sort().map((name) => [name, name]));
    });

    it('takes names and values of any length and sign', async () => {
      const { id } = await addExperiment(storage());
      const [name, text] = ['n'.repeat(5000), `${'é😀'.repeat(50_000)}'"\\`];

      await write(id, [value(name, text)]);

      expect(await texts(id, name)).to.deep.equal([text, text, text]);
    });

    it('takes a batch of ten thousand values', async function () {
      this.timeout(30_000);
      const { id } = await addExperiment(storage());

      await write(
        id,
        Array.from({ length: 10_000 }, (_, i) => value(`p${i}`, String(i))),
      );

      expect(await values().list(id, 'parameter')).to.have.length(10_000);
      expect(await texts(id, 'p9999')).to.deep.equal(['9999', '9999', '9999']);
    });

    it('keeps parameters, others and experiments apart', async () => {
      const [one, other] = [await addExperiment(storage()), await addExperiment(storage())];

      await write(one.id, [value('x', 'parameter')]);
      await values().write({
        experimentId: one.id,
        kind: 'other',
        values: [value('x', 'other')],
        receivedAt: at,
      });
      await write(other.id, [value('x', 'elsewhere')]);

      expect(
        (await values().list(one.id, 'parameter')).map((found) => found.last.text),
      ).to.deep.equal(['parameter']);
      expect((await values().list(one.id, 'other')).map((found) => found.last.text)).to.deep.equal([
        'other',
      ]);
    });

    it('stores a batch of one digest once, and one of another digest again', async () => {
      const { id } = await addExperiment(storage());
      const [first, second] = ['1'.repeat(64), '2'.repeat(64)];

      expect(await write(id, [value('x', 'a')], first)).to.equal('stored');
      await write(id, [value('x', 'b')]);
      expect(await write(id, [value('x', 'a')], first)).to.equal('duplicate');

      expect((await texts(id, 'x'))?.[2]).to.equal('b');
      expect(await write(id, [value('x', 'a')], second)).to.equal('stored');
      expect((await texts(id, 'x'))?.[2]).to.equal('a');
    });

    it('loses no value of thirty that are written at once', async function () {
      this.timeout(30_000);
      const { id } = await addExperiment(storage());

      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          write(id, [value('shared', String(i)), value(`own${i}`, String(i))]),
        ),
      );

      expect(await values().list(id, 'parameter')).to.have.length(31);
      expect((await texts(id, 'shared'))?.slice(0, 2)).to.deep.equal(['0', '29']);
    });

    it('stores what is new of forty batches that come at once, of which every second one was stored before', async () => {
      const runs = [await addExperiment(storage()), await addExperiment(storage())];
      const digestOf = (i: number) => String(i).padStart(64, '0');
      const batch = (i: number, text: string) =>
        write(runs[i % 2]?.id ?? '', [value(`p${i}`, text)], digestOf(i));
      const numbers = Array.from({ length: 40 }, (_, i) => i);
      const isOld = (i: number) => i % 4 < 2;
      for (const i of numbers.filter(isOld)) await batch(i, 'first');

      const outcomes = await Promise.all(numbers.map((i) => batch(i, 'again')));

      expect(outcomes).to.deep.equal(numbers.map((i) => (isOld(i) ? 'duplicate' : 'stored')));
      const kept = await Promise.all(runs.map(({ id }) => values().list(id, 'parameter')));
      expect(new Map(kept.flat().map(({ name, last }) => [name, last.text]))).to.deep.equal(
        new Map(numbers.map((i) => [`p${i}`, isOld(i) ? 'first' : 'again'])),
      );
    });

    it('stores nothing of a transaction that fails', async () => {
      const { id } = await addExperiment(storage());

      const failed = await storage()
        .transaction(async (stores) => {
          await stores.values.write({
            experimentId: id,
            kind: 'parameter',
            values: [value('x', '1')],
            receivedAt: at,
          });
          await stores.values.addTags(id, ['t'], at);
          throw new Error('no');
        })
        .catch(() => 'failed');

      expect(failed).to.equal('failed');
      expect(await values().list(id, 'parameter')).to.deep.equal([]);
      expect(await values().listTags(id)).to.deep.equal([]);
    });

    it('removes the named ones and says whether there was one', async () => {
      const { id } = await addExperiment(storage());
      await write(id, [value('a', '1'), value('b', '2'), value('c', '3')]);

      expect(await values().remove(id, 'parameter', ['a', 'c', 'missing'])).to.equal(true);
      expect(await values().remove(id, 'parameter', ['a'])).to.equal(false);

      expect((await values().list(id, 'parameter')).map((one) => one.name)).to.deep.equal(['b']);
    });

    it('starts from nothing after a removal, without the old extremes', async () => {
      const { id } = await addExperiment(storage());
      await write(id, [value('a', '1')]);
      await values().remove(id, 'parameter', ['a']);

      await write(id, [value('a', '5')]);

      expect(await texts(id, 'a')).to.deep.equal(['5', '5', '5']);
    });

    it('lists nothing for no names and for an experiment without values', async () => {
      const { id } = await addExperiment(storage());
      await write(id, [value('a', '1')]);

      expect(await values().list(id, 'parameter', [])).to.deep.equal([]);
      expect(await values().list(id, 'other')).to.deep.equal([]);
    });

    it('moves the end of a run that is alive, and leaves the end of one that is over', async () => {
      const [running, over] = [
        await addExperiment(storage(), { alive: true }),
        await addExperiment(storage(), { alive: false }),
      ];

      await write(running.id, [value('a', '1')]);
      await write(over.id, [value('a', '1')]);

      const [moved, kept] = [
        await storage().stores.experiments.findByKey(running.key),
        await storage().stores.experiments.findByKey(over.key),
      ];
      expect(moved?.endTimeMillis).to.be.greaterThan(running.endTimeMillis);
      expect(moved?.lastSeenAt).to.equal(moved?.endTimeMillis);
      expect([kept?.endTimeMillis, kept?.lastSeenAt]).to.deep.equal([
        over.endTimeMillis,
        over.lastSeenAt,
      ]);
    });

    it('refuses every write to an experiment that is deleted', async () => {
      const { id } = await addExperiment(storage());
      await storage().stores.experiments.markDeleted(id, at);

      const refusals = await Promise.all(
        [
          write(id, [value('a', '1')]),
          values().addTags(id, ['t'], at),
          values().remove(id, 'parameter', ['a']),
        ].map((work) =>
          work.then(
            () => 'done',
            (thrown: unknown) => (isFailure(thrown) ? thrown.kind : 'defect'),
          ),
        ),
      );

      expect(refusals).to.deep.equal(['absent', 'absent', 'absent']);
    });
  });

  describe('tags', () => {
    it('keeps the order in which tags were added, and each once', async () => {
      const { id } = await addExperiment(storage());

      await values().addTags(id, ['zeta', 'alpha', 'zeta'], at);
      await values().addTags(id, ['alpha', 'beta', 'Alpha', 'alpha '], at);

      expect(await values().listTags(id)).to.deep.equal([
        'zeta',
        'alpha',
        'beta',
        'Alpha',
        'alpha ',
      ]);
    });

    it('puts a tag that was removed and added again at the end', async () => {
      const { id } = await addExperiment(storage());
      await values().addTags(id, ['a', 'b'], at);

      expect(await values().removeTags(id, ['a', 'missing'])).to.equal(true);
      expect(await values().removeTags(id, ['missing'])).to.equal(false);
      await values().addTags(id, ['a'], at);

      expect(await values().listTags(id)).to.deep.equal(['b', 'a']);
    });

    it('adds all of several lists that come at once', async () => {
      const { id } = await addExperiment(storage());

      await Promise.all(
        Array.from({ length: 10 }, (_, i) => values().addTags(id, [`t${i}`, 'shared'], at)),
      );

      expect([...(await values().listTags(id))].sort()).to.deep.equal([
        'shared',
        ...Array.from({ length: 10 }, (_, i) => `t${i}`),
      ]);
    });
  });
};
