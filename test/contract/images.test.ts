import { expect } from 'chai';
import { createImages, type StartedImages } from '#adapters/system/images';
import { isFailure } from '#ports/failure';
import { imageContract, makePng } from './images.js';

describe('pictures made smaller', () => {
  let images: StartedImages;
  before(() => {
    images = createImages();
  });
  after(() => {
    images.stop();
  });
  imageContract(() => images);
});

describe('a platform without a decoder of pictures', () => {
  const kindOf = async (images: StartedImages): Promise<unknown> =>
    images
      .shrink(
        async () =>
          (async function* () {
            yield makePng(1, 1);
          })(),
        64,
      )
      .catch((thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown));

  it('says so, where the package is missing and where it does not load', async () => {
    const missing = createImages(() => {
      throw new Error('cannot find sharp');
    });
    const broken = createImages(() => '/nowhere/sharp');

    expect(await kindOf(missing)).to.equal('unsupported');
    expect(await kindOf(broken)).to.equal('unsupported');
    broken.stop();
  });
});
