import { expect } from 'chai';
import { contentTypeOf } from '#core/assets/content-types';
import { readDimensions } from '#core/assets/dimensions';
import { pathMaker } from '#core/assets/paths';
import { readAssetMetadata } from '#core/assets/requests';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('dimensions of a picture', () => {
  it('are read from PNG, GIF, JPEG and every form of WebP', () => {
    const png = hex('89504e470d0a1a0a 0000000d 49484452 00000140 000000f0 0806000000');
    const gif = Buffer.concat([Buffer.from('GIF89a'), hex('4001 f000 00')]);
    const jpeg = hex('ffd8 ffe0 0006 00000000 ff ffc2 0011 08 00f0 0140 03');
    const riff = (kind: string, rest: string) =>
      Buffer.concat([Buffer.from('RIFF____WEBP'), Buffer.from(kind), hex('00000000'), hex(rest)]);
    const webps = [
      riff('VP8 ', '000000 9d012a 4001 f000'),
      riff('VP8L', '2f 3fc13b00 0000000000'),
      riff('VP8X', '00000000 3f0100 ef0000'),
    ];

    for (const picture of [png, gif, jpeg, ...webps])
      expect(readDimensions(picture)).to.deep.equal({ width: 320, height: 240 });
  });

  it('are unknown for anything else and for a file that ends early', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('RIFF'),
      hex('ffd8'),
      hex('ffd8 ffe0 ffff'),
      hex('ffd8 0000 0000 0000 0000 0000'),
      Buffer.from('GIF89a'),
      Buffer.from('hello world, this is no picture at all'),
    ])
      expect(readDimensions(bytes)).to.equal(undefined);
  });
});

describe('content types', () => {
  const typeOf = (fileName: string, extension?: string, type = 'asset') =>
    contentTypeOf({ fileName, extension, type });

  it('follow the name, then the extension, then the type', () => {
    expect([
      typeOf('a.R'),
      typeOf('dir.json/a.TXT'),
      typeOf('a', '.json'),
      typeOf('a', 'png'),
      typeOf('a', '', 'curve'),
      typeOf('a'),
      typeOf('json'),
    ]).to.deep.equal([
      'text/plain',
      'text/plain',
      'application/json',
      'image/png',
      'application/json',
      'application/octet-stream',
      'application/octet-stream',
    ]);
  });
});

describe('paths in an archive', () => {
  it('stay as they are where they are relative, and never lead out', () => {
    const toPath = pathMaker();

    expect(
      ['a/b.txt', '../../etc/passwd', '/abs', 'C:\\x\\..\\y.txt', './a//c', '..', 'a\u0000b'].map(
        toPath,
      ),
    ).to.deep.equal(['a/b.txt', 'etc/passwd', 'abs', 'C_/x/y.txt', 'a/c', 'file', 'a_b']);
  });

  it('are never the same twice, whatever the case', () => {
    const toPath = pathMaker();

    expect(['a.txt', 'a.txt', 'A.TXT', 'x/a', 'x/a'].map(toPath)).to.deep.equal([
      'a.txt',
      'a (2).txt',
      'A (3).TXT',
      'x/a',
      'x/a (2)',
    ]);
  });
});

describe('metadata of an upload', () => {
  it('is kept as the text that was sent, and is none when empty', () => {
    expect(readAssetMetadata('{"big": 123456789012345678901, "a":1.0}', false)).to.equal(
      '{"big": 123456789012345678901, "a":1.0}',
    );
    expect(
      ['', '{}', '[]', 'null', undefined].map((text) => readAssetMetadata(text, false)),
    ).to.deep.equal([undefined, undefined, undefined, undefined, undefined]);
  });

  it('has bare NaN and infinities made into texts outside of texts only', () => {
    expect(readAssetMetadata(String.raw`{"NaN":[NaN,-Infinity,"\"NaN"]}`, false)).to.equal(
      String.raw`{"NaN":["NaN","-Infinity","\"NaN"]}`,
    );
  });

  it('is refused in a part and ignored in a query where it is no JSON', () => {
    expect(() => readAssetMetadata('a', false)).to.throw('metadata must be JSON');
    expect(readAssetMetadata('a', true)).to.equal(undefined);
  });
});
