import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { MeasuredOutput, OutputLine, OutputPlace } from '#ports/storage/texts';
import { addExperiment, gather, rejection, start } from '#test/contract/storage/builders';

const mebibyte = 1024 * 1024;

/** Output is packed into few rows, and reads as it did before, whatever happens meanwhile. */
export const outputPackingContract = (storage: () => SqlStorage): void => {
  const texts = () => storage().stores.texts;
  const db = () => storage().connection.db;
  const add = async () => (await addExperiment(storage())).id;
  const line = (text: string, offset?: number, stderr = false): OutputLine => ({
    text,
    offset,
    stderr,
  });
  const print = (experimentId: string, lines: readonly OutputLine[]) =>
    texts().appendOutput({ experimentId, lines, receivedAt: start, limitBytes: 150 * mebibyte });
  /** A write for each line. */
  const printEach = async (experimentId: string, lines: readonly OutputLine[]) => {
    for (const one of lines) await print(experimentId, [one]);
  };
  const pack = async (experimentId: string) => {
    await texts().queuePacking([experimentId]);
    const job = storage().jobs.find(({ name }) => name === 'pack-output');
    await job?.run(new AbortController().signal);
  };
  const read = async (experimentId: string, after?: OutputPlace) =>
    Buffer.concat(
      (await gather(texts().readOutputFrom(experimentId, after))).map(({ content }) => content),
    ).toString();
  const rowsOf = async (experiment_id: string) =>
    (await db()('output_lines')
      .where({ experiment_id })
      .orderBy(['run', 'first_offset', 'part'])
      .select('run', 'first_offset', 'part', 'last_place')) as readonly {
      readonly run: unknown;
      readonly first_offset: unknown;
      readonly part: unknown;
      readonly last_place: unknown;
    }[]; // the columns named
  const isQueued = async (experiment_id: string) =>
    (await db()('output_packings').where({ experiment_id })).length > 0;
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => line(`line ${from + i}\n`, from + i));
  const textOf = (lines: readonly OutputLine[]) => lines.map(({ text }) => text).join('');

  it('has one row for many writes, reads as it did, and is queued no more', async () => {
    const id = await add();
    const lines = [
      line('begins', 3),
      line(' and goes on\n', 4, true),
      line('', 5),
      line('after a gap, é\n', 9),
      ...numbered(20, 60),
    ];
    await printEach(id, lines);
    const before = await gather(texts().readOutputFrom(id, undefined));

    await pack(id);

    expect(await rowsOf(id)).to.have.length(1);
    expect(await isQueued(id)).to.equal(false);
    expect(await read(id)).to.equal(textOf(lines));
    for (const { place } of before)
      expect(await read(id, place)).to.equal(
        textOf(lines.filter(({ offset = 0 }) => offset > place.offset)),
        `behind ${place.offset}`,
      );
    expect(await texts().outputSize(id)).to.deep.equal({
      bytes: Buffer.byteLength(textOf(lines)),
      pieces: lines.length,
    });
    expect(await texts().findLastOffset(id)).to.equal(59);
  });

  it('keeps which lines are standard error, and how many bytes each write had', async () => {
    const id = await add();
    await printEach(id, [line('out\n', 0), line('error\n', 1, true), line('out again\n', 5)]);
    await pack(id);
    const spansFrom = async (after?: OutputPlace) =>
      (await gather(texts().readOutputFrom(id, after))).flatMap(({ spans }) => spans);
    const behind = [
      { bytes: 6, stderr: true },
      { bytes: 10, stderr: false },
    ];
    expect(await spansFrom()).to.deep.equal([{ bytes: 4, stderr: false }, ...behind]);
    expect(await spansFrom({ run: 0, offset: 0, part: 0 })).to.deep.equal(behind);
    // A line that comes in between takes the row apart again.
    await print(id, [line('late\n', 3)]);

    const rows = (await db()('output_lines')
      .where({ experiment_id: id })
      .orderBy('first_offset')
      .select('first_offset', 'stderr', 'content')) as readonly {
      readonly first_offset: unknown;
      readonly stderr: unknown;
      readonly content: Buffer;
    }[]; // the columns named
    expect(
      rows.map((row) => [Number(row.first_offset), Boolean(row.stderr), row.content.toString()]),
    ).to.deep.equal([
      [0, false, 'out\n'],
      [1, true, 'error\n'],
      [3, false, 'late\n'],
      [5, false, 'out again\n'],
    ]);
    await pack(id);
    expect(await rowsOf(id)).to.have.length(1);
    expect(await read(id)).to.equal('out\nerror\nlate\nout again\n');
  });

  it('takes lines after it, before it, and with an offset that a packed line has', async () => {
    const id = await add();
    await printEach(id, numbered(10, 30));
    await pack(id);

    await print(id, numbered(30, 40));
    await print(id, numbered(5, 10));
    expect(await read(id)).to.equal(textOf(numbered(5, 40)));
    await print(id, [line('second run\n', 17)]);

    expect(await read(id)).to.equal(`${textOf(numbered(5, 40))}second run\n`);
    await pack(id);
    expect(await rowsOf(id)).to.have.length(2);
    expect(await read(id)).to.equal(`${textOf(numbered(5, 40))}second run\n`);
  });

  it('packs a line of several MiB and what is around it', async function () {
    this.timeout(60_000);
    const id = await add();
    const long = 'x'.repeat(3 * mebibyte + 17);
    await printEach(id, [line('before\n', 0), line('and\n', 1), line(long, 2), line('after\n', 3)]);
    const places = (await gather(texts().readOutputFrom(id, undefined))).map(({ place }) => place);

    await pack(id);

    const rows = await rowsOf(id);
    expect(rows.map((row) => Number(row.part))).to.deep.equal([0, 0, 1, 2, 3, 0]);
    expect(rows.every((row) => row.last_place !== null)).to.equal(true);
    expect((await read(id)) === `before\nand\n${long}after\n`).to.equal(true);
    const lengths = [];
    for (const place of places) lengths.push((await read(id, place)).length);
    const after = 'after\n'.length;
    expect(lengths).to.deep.equal([
      'and\n'.length + long.length + after,
      long.length + after,
      ...[2 * mebibyte + 17, mebibyte + 17, 17, 0].map((left) => left + after),
      0,
    ]);
  });

  it('fills rows of about a MiB, and packs what is new without packing all of it again', async function () {
    this.timeout(60_000);
    const id = await add();
    const batch = (from: number) =>
      Array.from({ length: 40 }, (_, i) => line(`${from + i} ${'y'.repeat(10_000)}\n`, from + i));
    for (let from = 0; from < 400; from += 40) await print(id, batch(from));
    await pack(id);
    const full = await rowsOf(id);
    expect(full.length).to.be.within(4, 6);
    await printEach(id, [line('new\n', 400)]);

    await pack(id);

    expect(await rowsOf(id)).to.have.length(full.length + 1);
    const truth = [
      ...Array.from({ length: 10 }, (_, i) => batch(i * 40)).flat(),
      line('new\n', 400),
    ];
    expect((await read(id)) === textOf(truth)).to.equal(true);
  });

  it('is counted as what it holds, packed, not packed, and from the middle of a packed row', async () => {
    const id = await add();
    await printEach(id, [line('a', 0), line('\n\nb\n', 1), line('', 2), line('c', 3)]);
    const measure = async (after?: OutputPlace) =>
      (await gather(texts().measureOutputFrom(id, after))).reduce(
        (sum: Omit<MeasuredOutput, 'place'>, one) => ({
          pieces: sum.pieces + one.pieces,
          bytes: sum.bytes + one.bytes,
          newlines: sum.newlines + one.newlines,
          endsLine: one.endsLine ?? sum.endsLine,
        }),
        { pieces: 0, bytes: 0, newlines: 0, endsLine: undefined },
      );
    const second = { run: 0, offset: 1, part: 0 };
    const [all, rest] = [await measure(), await measure(second)];
    expect(all).to.deep.equal({ pieces: 4, bytes: 6, newlines: 3, endsLine: false });
    expect(rest).to.deep.equal({ pieces: 2, bytes: 1, newlines: 0, endsLine: false });

    await pack(id);

    expect([await measure(), await measure(second)]).to.deep.equal([all, rest]);
  });

  it('packs at once in two processes and beside writers without losing or doubling a line', async function () {
    this.timeout(60_000);
    const id = await add();
    await printEach(id, numbered(0, 100));

    await Promise.all([
      pack(id),
      pack(id),
      printEach(id, numbered(100, 150)),
      pack(id),
      printEach(id, numbered(150, 180).reverse()),
    ]);
    await pack(id);

    const lines = (await read(id)).split('\n').slice(0, -1);
    expect(lines).to.have.length(180);
    expect(new Set(lines).size).to.equal(180);
    expect(await texts().outputSize(id)).to.deep.include({ pieces: 180 });
  });

  it('sets an experiment aside whose row is damaged, whose output it leaves as it is, and packs the others', async () => {
    const [bad, good] = [await add(), await add()];
    await printEach(bad, numbered(0, 10));
    await pack(bad);
    await db()('output_lines')
      .where({ experiment_id: bad })
      .update({ content: Buffer.from('no') });
    await printEach(bad, numbered(10, 20));
    await printEach(good, numbered(0, 10));
    await texts().queuePacking([good]);

    await pack(bad);

    expect(await rowsOf(bad)).to.have.length(11);
    expect(await rowsOf(good)).to.have.length(1);
    const faults = await storage().stores.queueFaults.list({
      queue: 'output-packing',
      offset: 0,
      limit: 100,
    });
    expect(faults.map(({ item }) => item)).to.include(bad);
    expect(String(await rejection(read(bad)))).to.include('incorrect header');
    await storage().stores.experiments.markDeleted(bad, start);
    await storage().stores.queueFaults.retry('output-packing', bad, 0);
  });

  it('waits for more output unless much has come or the run has ended', async () => {
    const id = await add();
    const due = async () => {
      const [row] = (await db()('output_packings')
        .where({ experiment_id: id })
        .select('due_at')) as readonly { readonly due_at: unknown }[]; // the column named
      return Number(row?.due_at) - storage().connection.clock.now();
    };
    await print(id, [line('first\n', 0)]);
    expect(await due()).to.be.within(500_000, 600_000);
    await printEach(id, numbered(1, 200));

    expect(await due()).to.be.at.most(0);
    await pack(id);
    await print(id, [line('more\n', 300)]);
    expect(await due()).to.be.above(500_000);
    await texts().queuePacking([id]);
    expect(await due()).to.be.at.most(0);
  });

  it('goes with its experiment, whose queue it leaves', async () => {
    const id = await add();
    await printEach(id, numbered(0, 30));
    await storage().stores.experiments.markDeleted(id, start);

    await pack(id);

    expect(await isQueued(id)).to.equal(false);
  });
};
