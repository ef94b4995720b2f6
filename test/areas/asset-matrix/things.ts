import { thing } from '#test/api/fixtures';
import { encodeParts } from '#test/api/sending';
import { experiments } from '#test/areas/experiments/things';
import { makePng } from '#test/contract/images';

/** A picture of the run. */
export const pictures = thing(async ({ ask, of }) => {
  const { experimentKey } = await of(experiments);
  const file = encodeParts([{ name: 'file', fileName: 'sample.png', content: makePng(8, 8) }]);
  const { assetId = '' } = await ask(
    `/api/rest/v2/write/experiment/upload-asset?experimentKey=${experimentKey}&type=image&fileName=sample.png&step=1`,
    file.body,
    file.type,
  );
  return { pictureId: assetId };
});
