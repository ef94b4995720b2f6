// What every decoder of pictures keeps to.
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { imageBounds, mostDrawingLetters, type Images } from '#ports/images';

const jpeg =
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAAUACgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAED/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AkBGgAAAAAAAAAD//2Q==';
const gif = 'R0lGODlhCAAEAIAAAExpcf8AACH5BAUAAAAALAAAAAAIAAQAAAIFjI+piwUAOw==';
const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64');

const pngPart = (type: string, content: Uint8Array): Uint8Array => {
  const named = Buffer.concat([Buffer.from(type), content]);
  const part = Buffer.alloc(content.length + 12);
  part.writeUInt32BE(content.length);
  named.copy(part, 4);
  part.writeUInt32BE(crc32(named), content.length + 8);
  return part;
};

/** A grey PNG of this size by its head, with so many rows in it. */
export const makePng = (width: number, height: number, rows = height): Uint8Array => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngPart('IHDR', head),
    pngPart('IDAT', deflateSync(Buffer.alloc((width + 1) * rows))),
    pngPart('IEND', Buffer.alloc(0)),
  ]);
};

/** Width and height of a WebP, by its head. */
const sizeOf = (bytes: Uint8Array): readonly [number, number] => {
  const view = Buffer.from(bytes);
  expect(view.toString('latin1', 0, 4)).to.equal('RIFF');
  const kind = view.toString('latin1', 12, 16);
  if (kind === 'VP8X') return [view.readUIntLE(24, 3) + 1, view.readUIntLE(27, 3) + 1];
  if (kind === 'VP8L') {
    const packed = view.readUInt32LE(21);
    return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
  }
  return [view.readUInt16LE(26) & 0x3fff, view.readUInt16LE(28) & 0x3fff];
};

export const imageContract = (images: () => Images): void => {
  const opened = (bytes: Uint8Array) => async () =>
    (async function* () {
      yield bytes.subarray(0, 10);
      yield bytes.subarray(10);
    })();
  const shrink = (bytes: Uint8Array, edge = 64) => images().shrink(opened(bytes), edge);
  const refusal = async (bytes: Uint8Array): Promise<unknown> => {
    try {
      await shrink(bytes);
    } catch (thrown) {
      return isFailure(thrown) ? thrown.kind : thrown;
    }
    return 'nothing';
  };

  it('makes a PNG smaller within a square, in its own shape', async () => {
    const wide = await shrink(makePng(400, 200));
    const high = await shrink(makePng(100, 1000), 128);

    expect(wide.type).to.equal('image/webp');
    expect(sizeOf(wide.bytes)).to.deep.equal([64, 32]);
    expect(sizeOf(high.bytes)).to.deep.equal([13, 128]);
  });

  it('reads JPEG, GIF and WebP, and enlarges none', async () => {
    const small = await shrink(fromBase64(jpeg));

    expect(sizeOf(small.bytes)).to.deep.equal([40, 20]);
    expect(sizeOf((await shrink(fromBase64(gif))).bytes)).to.deep.equal([8, 4]);
    expect(sizeOf((await shrink(small.bytes)).bytes)).to.deep.equal([40, 20]);
  });

  it('refuses a picture of more pixels than it decodes, by its head', async function () {
    this.timeout(5000);
    expect(30_000 * 30_000).to.be.above(imageBounds.pixels);
    expect(await refusal(makePng(30_000, 30_000, 10))).to.equal('unprocessable');
    expect(await refusal(makePng(2_000_000_000, 2, 0))).to.equal('unprocessable');
  });

  it('refuses what is no picture, ends too early, or would draw what it names', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    for (const bytes of [
      Buffer.from(''),
      Buffer.from('words'),
      Buffer.from(svg),
      Buffer.from('%PDF-1.7'),
      makePng(400, 200).subarray(0, 60),
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 255)]),
    ])
      expect(await refusal(bytes), Buffer.from(bytes).toString('latin1', 0, 20)).to.equal(
        'unprocessable',
      );
  });

  it('refuses more bytes than it takes, without reading them all', async function () {
    this.timeout(20_000);
    let read = 0;
    const refused = await images()
      .shrink(
        async () =>
          (async function* () {
            for (;;) {
              yield Buffer.alloc(8 * 1024 * 1024);
              read++;
            }
          })(),
        64,
      )
      .catch((thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown));

    expect(refused).to.equal('unprocessable');
    expect(read).to.be.below(20);
  });

  it('tells a fault of the bytes as it came, and goes on', async () => {
    const fault = new Error('the bytes are away');
    const thrown = await images()
      .shrink(() => Promise.reject(fault), 64)
      .catch((told: unknown) => told);

    expect(thrown).to.equal(fault);
    expect(sizeOf((await shrink(makePng(10, 10))).bytes)).to.deep.equal([10, 10]);
  });

  it('works through many at once', async () => {
    const sizes = Array.from({ length: 40 }, (_, at) => at + 1);

    const made = await Promise.all(sizes.map((size) => shrink(makePng(size, 1))));

    expect(made.map(({ bytes }) => sizeOf(bytes)[0])).to.deep.equal(sizes);
  });

  it('makes a drawing a PNG, twice as fine, and reads none as a picture after that', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="#f00"/></svg>';
    const { bytes, type } = await images().draw(svg);

    expect(type).to.equal('image/png');
    const view = Buffer.from(bytes);
    expect([view.readUInt32BE(16), view.readUInt32BE(20)]).to.deep.equal([60, 40]);
    expect(await refusal(Buffer.from(svg))).to.equal('unprocessable');
  });

  it('refuses a drawing that is none, and one that is too long', async () => {
    const kindOf = async (svg: string): Promise<unknown> =>
      images()
        .draw(svg)
        .then(
          () => 'drawn',
          (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown),
        );

    expect(await kindOf('words')).to.equal('unprocessable');
    expect(await kindOf(`<svg>${' '.repeat(mostDrawingLetters)}</svg>`)).to.equal('unprocessable');
  });
};
