import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Blob, ByteRange } from '#ports/blob';
import { isFailure, type FailureKind } from '#ports/failure';
import { countLiveBytes } from './memory.js';

/** An empty store under test, and how to end it. */
export interface OpenBlob {
  readonly blob: Blob;
  stop(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** What every implementation of `Blob` keeps. Each case opens a store of its own, which must be empty. `memoryMiB` is what a large blob may take while it streams. */
export const blobContract = (open: () => Promise<OpenBlob>, memoryMiB = 16): void => {
  let blob: Blob;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open();
    blob = opened.blob;
    stop = () => opened.stop();
  });
  afterEach(() => stop());

  const put = (key: string, text: string) => blob.put(key, chunksOf(text));
  const read = async (key: string, range?: ByteRange) => {
    const opened = await blob.open(key, range === undefined ? {} : { range });
    return (await gather(opened.stream)).toString();
  };

  describe('whole blobs', () => {
    it('returns the bytes that were put, with their size', async () => {
      await blob.put('w1/a1', chunksOf('ab', '', 'cd'));

      const opened = await blob.open('w1/a1');

      expect(opened.size).to.equal(4);
      expect((await gather(opened.stream)).toString()).to.equal('abcd');
      expect(await blob.stat('w1/a1')).to.deep.equal({ key: 'w1/a1', size: 4 });
    });

    it('answers a put with the size and the SHA-256 of the bytes', async () => {
      expect(await put('w1/a1', 'abc')).to.deep.equal({ size: 3, sha256: sha256('abc') });
    });

    it('keeps an empty blob', async () => {
      expect(await blob.put('w1/a1', chunksOf())).to.deep.equal({ size: 0, sha256: sha256('') });

      expect(await read('w1/a1')).to.equal('');
      expect((await blob.stat('w1/a1')).size).to.equal(0);
    });

    it('keeps blobs apart when their keys differ in case, workspace or length', async () => {
      const keys = [
        'w1/a1',
        'w1/A1',
        'W1/a1',
        'w2/a1',
        'w1/a',
        'w1/a1-1',
        'w1/a11',
        `w1/${'x'.repeat(100)}`,
      ];
      for (const key of keys) await put(key, `of ${key}`);

      for (const key of keys) expect(await read(key)).to.equal(`of ${key}`);
    });

    it(`streams 64 MiB in and out within ${memoryMiB} MiB of memory`, async function () {
      this.timeout(60_000);
      const written = createHash('sha256');
      const meter = countLiveBytes(memoryMiB * mebibyte);

      const stored = await blob.put(
        'w1/a1',
        largeSource(64, (chunk) => written.update(chunk) && meter.sample()),
        {
          signal: new AbortController().signal,
        },
      );
      const readBack = createHash('sha256');
      let size = 0;
      for await (const chunk of (await blob.open('w1/a1')).stream) {
        readBack.update(chunk);
        if (Math.floor((size + chunk.length) / mebibyte) > Math.floor(size / mebibyte))
          meter.sample();
        size += chunk.length;
      }

      const digest = written.digest('hex');
      expect(stored).to.deep.equal({ size: 64 * mebibyte, sha256: digest });
      expect(readBack.digest('hex')).to.equal(digest);
      expect(meter.growth()).to.be.below(memoryMiB * mebibyte);
    });

    it('rejects with absent when there is no such blob', async () => {
      await refuses('absent', blob.open('w1/a1'));
      await refuses('absent', blob.stat('w1/a1'));
    });
  });

  describe('ranges', () => {
    beforeEach(() => put('w1/a1', '0123456789'));

    const ranges: readonly (readonly [string, ByteRange, string])[] = [
      ['the first byte', { start: 0, end: 0 }, '0'],
      ['the middle', { start: 3, end: 6 }, '3456'],
      ['the last byte', { start: 9, end: 9 }, '9'],
      ['the whole', { start: 0, end: 9 }, '0123456789'],
      ['an open end', { start: 7 }, '789'],
      ['an end beyond the last byte', { start: 8, end: 1_000_000 }, '89'],
    ];
    for (const [title, range, text] of ranges) {
      it(`reads ${title}, and tells the whole size`, async () => {
        expect(await read('w1/a1', range)).to.equal(text);
        expect(await sizeOf(blob, 'w1/a1', range)).to.equal(10);
      });
    }

    it('refuses a range that starts beyond the end, ends before it starts or is no whole number', async () => {
      await put('w1/empty', '');

      for (const range of [
        { start: 10 },
        { start: 10, end: 12 },
        { start: 5, end: 4 },
        { start: -1 },
        { start: 0.5 },
        { start: 0, end: NaN },
      ]) {
        await refuses('invalid', blob.open('w1/a1', { range }));
      }
      await refuses('invalid', blob.open('w1/empty', { range: { start: 0 } }));
    });
  });

  describe('writing', () => {
    it('shows nothing of a new blob until it is complete', async () => {
      const gate = gatedSource('first', 'second');

      await gate.holding(blob.put('w1/a1', gate.source), async () => {
        await refuses('absent', blob.stat('w1/a1'));
        expect((await blob.list({ prefix: '', limit: 10 })).entries).to.deep.equal([]);
      });

      expect(await read('w1/a1')).to.equal('firstsecond');
    });

    it('shows the old bytes until an overwrite is complete, then the new ones', async () => {
      await put('w1/a1', 'old and longer than the new');
      const gate = gatedSource('ne', 'w');

      await gate.holding(blob.put('w1/a1', gate.source), async () => {
        expect(await read('w1/a1')).to.equal('old and longer than the new');
      });

      expect(await read('w1/a1')).to.equal('new');
    });

    it('leaves nothing when the source fails, and gives its error', async () => {
      const fault = new Error('the caller went away');

      expect(await thrownBy(blob.put('w1/a1', failingSource(fault)))).to.equal(fault);

      await refuses('absent', blob.stat('w1/a1'));
    });

    it('leaves nothing when a large source fails halfway', async () => {
      const fault = new Error('the caller went away');

      expect(await thrownBy(blob.put('w1/a1', failingSource(fault, 20)))).to.equal(fault);

      await refuses('absent', blob.stat('w1/a1'));
      expect((await blob.list({ prefix: '', limit: 10 })).entries).to.deep.equal([]);
    });

    it('stops when it is aborted halfway through a large source, and leaves nothing', async () => {
      const control = new AbortController();
      const reason = new Error('the server stops');

      const thrown = await thrownBy(
        blob.put(
          'w1/a1',
          largeSource(40, (_, at) => {
            if (at === 20) control.abort(reason);
          }),
          { signal: control.signal },
        ),
      );

      expect(thrown).to.equal(reason);
      await refuses('absent', blob.stat('w1/a1'));
    });

    it('keeps blobs of 8 and 16 MiB and of a byte more or less exact', async () => {
      for (const size of [8 * mebibyte - 1, 8 * mebibyte, 8 * mebibyte + 1, 16 * mebibyte]) {
        const bytes = Buffer.alloc(size, 'abc');

        await blob.put('w1/a1', inPieces(bytes, 1_000_003));

        expect(
          createHash('sha256')
            .update(await gather((await blob.open('w1/a1')).stream))
            .digest('hex'),
        ).to.equal(createHash('sha256').update(bytes).digest('hex'));
      }
    });

    it('keeps the old bytes when the source of an overwrite fails', async () => {
      await put('w1/a1', 'old');

      await thrownBy(blob.put('w1/a1', failingSource(new Error('the caller went away'))));

      expect(await read('w1/a1')).to.equal('old');
    });

    it('stops when it is aborted, even while the source sends nothing, and leaves nothing', async () => {
      const control = new AbortController();
      const reason = new Error('the server stops');
      const gate = gatedSource('first', 'second');
      const writing = thrownBy(blob.put('w1/a1', gate.source, { signal: control.signal }));

      await gate.holding(writing, async () => {
        control.abort(reason);
        expect(await writing).to.equal(reason);
      });

      await refuses('absent', blob.stat('w1/a1'));
    });

    it('keeps one of several concurrent puts of one key, whole', async () => {
      const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(200_000));

      const stored = await Promise.all(texts.map((text) => put('w1/a1', text)));

      expect(stored.map((one) => one.sha256)).to.deep.equal(texts.map(sha256));
      expect(texts.map(sha256)).to.include(sha256(await read('w1/a1')));
    });
  });

  describe('reading', () => {
    it('stops when it is aborted', async () => {
      await blob.put('w1/a1', largeSource(4));
      const control = new AbortController();
      const { stream } = await blob.open('w1/a1', { signal: control.signal });
      const bytes = stream[Symbol.asyncIterator]();
      await bytes.next();

      control.abort();

      const rest = await (async () => {
        while ((await bytes.next()).done !== true);
        return 'read to its end';
      })().catch(() => 'broken off');
      expect(rest).to.equal('broken off');
    });
  });

  describe('leaving early', () => {
    it('releases what a reader holds when it stops reading', async () => {
      await blob.put('w1/a1', largeSource(8));

      for (let at = 0; at < 40; at++) {
        const { stream } = await blob.open('w1/a1');
        for await (const bytes of stream) if (bytes.length > 0) break;
      }

      expect((await gather((await blob.open('w1/a1')).stream)).length).to.equal(8 * mebibyte);
    });
  });

  describe('a reader that has left', () => {
    // Whose fault nobody hears would end the process, and the test with it.
    it('harms nobody, before the blob is opened or before anything of it is read', async () => {
      await put('w1/a1', 'bytes');
      const left = AbortSignal.abort();
      const control = new AbortController();
      const opened = await Promise.allSettled([
        ...Array.from({ length: 10 }, () => blob.open('w1/a1', { signal: left })),
        ...Array.from({ length: 10 }, () => blob.open('w1/a1', { signal: control.signal })),
      ]);
      control.abort();
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const one of opened)
        if (one.status === 'fulfilled') await thrownBy(gather(one.value.stream));
      expect(await read('w1/a1')).to.equal('bytes');
    });
  });

  describe('removal', () => {
    it('removes many at once and leaves the others', async () => {
      const keys = Array.from({ length: 50 }, (_, at) => `w1/a${at}`);
      for (const key of keys) await put(key, key);

      await blob.remove(keys.slice(1));

      expect(
        (await blob.list({ prefix: '', limit: 100 })).entries.map((entry) => entry.key),
      ).to.deep.equal(['w1/a0']);
      expect(await read('w1/a0')).to.equal('w1/a0');
    });

    it('succeeds for a key that is missing and for no keys at all', async () => {
      await put('w1/a1', 'kept');

      await blob.remove(['w1/missing', 'w9/missing']);
      await blob.remove([]);
      await blob.remove(['w1/a1', 'w1/missing']);

      await refuses('absent', blob.stat('w1/a1'));
    });
  });

  describe('listing', () => {
    const keys = [
      'W1/z',
      'w/a',
      'w-1/a',
      'w1/A',
      'w1/a',
      'w1/a-1',
      'w1/a1',
      'w1/ab',
      'w1/b1',
      'w2/a',
    ];
    const all = async (prefix: string, limit: number) => {
      const found: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await blob.list({ prefix, after, limit });
        expect(page.entries.length).to.be.at.most(limit);
        found.push(...page.entries.map((entry) => entry.key));
        expect(page.next === undefined || page.next > after).to.equal(true);
        after = page.next;
      }
      return found;
    };

    it('lists every blob once, in the order of keys, for any page size', async () => {
      for (const key of keys) await put(key, 'x');

      for (const limit of [1, 2, 3, 9, 10, 11, 1000])
        expect(await all('', limit)).to.deep.equal([...keys].sort());
    });

    it('lists only keys with the prefix, which may end anywhere in a key', async () => {
      for (const key of keys) await put(key, 'x');

      for (const prefix of ['w', 'w/', 'w1/', 'w1/a', 'w1/a1', 'w1/a1x', 'x', 'w1/ab']) {
        expect(await all(prefix, 2), prefix).to.deep.equal(
          keys.filter((key) => key.startsWith(prefix)).sort(),
        );
      }
    });

    it('reports sizes', async () => {
      await put('w1/a', 'abc');

      expect((await blob.list({ prefix: '', limit: 5 })).entries).to.deep.equal([
        { key: 'w1/a', size: 3 },
      ]);
    });

    it('refuses a page size of 0 and of more than 1,000', async () => {
      for (const limit of [0, -1, 1001, 1.5])
        await refuses('invalid', blob.list({ prefix: '', limit }));
    });
  });

  describe('keys', () => {
    const awkward = [
      '',
      'a',
      '/',
      'a/',
      '/a',
      'a/b/c',
      '../a',
      'a/..',
      'a/.',
      './a',
      'a/b.c',
      'a b/c',
      'a/ü',
      'a/b\0',
      'a\\b',
      'a/b\n',
      'A/_b',
      '%2e%2e/a',
      `a/${'x'.repeat(101)}`,
    ];
    for (const key of awkward) {
      it(`refuses ${JSON.stringify(key.slice(0, 20))}`, async () => {
        await refuses('invalid', blob.put(key, chunksOf('x')));
        await refuses('invalid', blob.open(key));
        await refuses('invalid', blob.stat(key));
        await refuses('invalid', blob.remove([key]));
        expect((await blob.list({ prefix: '', limit: 10 })).entries).to.deep.equal([]);
      });
    }
  });
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* failingSource(fault: Error, mebibytes = 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < mebibytes; at++) yield Buffer.alloc(mebibyte);
  throw fault;
}

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Mebibytes of differing bytes, each chunk in memory of its own. */
async function* largeSource(
  mebibytes: number,
  onChunk: (chunk: Uint8Array, at: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < mebibytes; at++) {
    const chunk = Buffer.alloc(mebibyte, `chunk ${at} `);
    onChunk(chunk, at);
    yield chunk;
  }
}

/** A source that stands still between its two chunks for as long as `holding` checks. */
const gatedSource = (first: string, second: string) => {
  const gate: { open: () => void; reach: () => void } = {
    open: () => undefined,
    reach: () => undefined,
  };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const reached = new Promise<void>((resolve) => (gate.reach = resolve));
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    gate.reach();
    await opened;
    yield Buffer.from(second);
  }
  const holding = async (writing: Promise<unknown>, check: () => Promise<void>): Promise<void> => {
    try {
      await Promise.race([reached, writing]);
      await check();
    } finally {
      gate.open();
      await writing;
    }
  };
  return { source: source(), holding };
};

const gather = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const sizeOf = async (blob: Blob, key: string, range: ByteRange): Promise<number> => {
  const { size, stream } = await blob.open(key, { range });
  await gather(stream);
  return size;
};

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

const refuses = async (kind: FailureKind, call: Promise<unknown>): Promise<void> => {
  const thrown = await thrownBy(call);
  expect(isFailure(thrown) ? thrown.kind : thrown).to.equal(kind);
};
