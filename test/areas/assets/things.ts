import { thing, type Making } from '#test/api/fixtures';
import { encodeParts } from '#test/api/sending';
import { experiments } from '#test/areas/experiments/things';

/** A file of a model, a 3D picture whose parts are still to come, and an upload that was begun. */
export const assets = thing(async ({ ask, of }) => {
  const { experimentKey } = await of(experiments);
  const file = encodeParts([{ name: 'file', fileName: 'weights.bin', content: 'weights' }]);
  const { assetId = '' } = await ask(
    `/api/rest/v2/write/experiment/upload-asset?experimentKey=${experimentKey}&type=model-element&groupingName=net&fileName=weights.bin`,
    file.body,
    file.type,
  );
  const { assetId: pictureId = '' } = await ask('/clientlib/asset', {
    experimentKey,
    userFileName: 'scene',
  });
  return { assetId, pictureId, requestId: (await beginUpload({ ask, of })).requestId ?? '' };
});

const beginUpload = async ({ ask, of }: Pick<Making, 'ask' | 'of'>) =>
  ask('/clientlib/asset/upload-start', {
    ...(await of(experiments)),
    fileName: 'large',
    startUploadParams: { numOfFileParts: 1 },
  });

/** Where the one part of an upload that was begun is sent. */
export const partLink = async (making: Making): Promise<string> => {
  const { preSignUrl } = await beginUpload(making);
  return preSignUrl?.[0] ?? ''; // the reply's one member that is a list
};

/** Where the bytes of an asset that is too large to go through the row are read. */
export const downloadLink = async ({ url, owner, of }: Making): Promise<string> => {
  const [{ experimentKey }, { assetId }] = [await of(experiments), await of(assets)];
  const query = `experimentKey=${experimentKey}&assetId=${assetId}&allow301=true`;
  const reply = await fetch(`${url}/api/rest/v2/experiment/asset/get-asset?${query}`, {
    redirect: 'manual',
    headers: { Authorization: owner.apiKey },
  });
  return reply.headers.get('Location') ?? '';
};
