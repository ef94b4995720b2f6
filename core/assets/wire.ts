// An asset as the tracking wire shows it. Pure.
import type { Asset } from '#ports/model/assets';
import { contentTypeOf } from './content-types.js';
import { isImageType } from './types.js';

/** One word of a query. The apostrophe goes too, since the address also stands in a shell command. */
const word = (text: string): string =>
  encodeURIComponent(
    text.replaceAll(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    ),
  ).replaceAll("'", '%27');

/** Where the bytes are read with a key or a session; stays the same for as long as the asset is there. */
export const downloadLink = (
  baseUrl: string,
  experimentKey: string,
  asset: Pick<Asset, 'id' | 'type'>,
): string =>
  isImageType(asset.type)
    ? `${baseUrl}/api/image/download?imageId=${word(asset.id)}&experimentKey=${word(experimentKey)}`
    : `${baseUrl}/api/asset/download?experimentKey=${word(experimentKey)}&assetId=${word(asset.id)}`;

const dirOf = (asset: Asset): string | null => {
  if (asset.artifactVersionId !== undefined) return null;
  return asset.type === 'model-element' && asset.groupingName !== undefined
    ? `models/${asset.groupingName}`
    : 'assets';
};

const viewable = /^(text\/|image\/|audio\/|video\/|application\/json$)/;

/** The record of section 16.5, with every member. */
export const toWire = (asset: Asset, experimentKey: string, baseUrl: string) => {
  const media = contentTypeOf(asset);
  const remote = asset.remoteLink !== undefined;
  return {
    assetId: asset.id,
    fileName: asset.fileName,
    fileSize: asset.fileSize,
    runContext: asset.runContext ?? null,
    step: asset.step ?? null,
    remote,
    link: asset.remoteLink ?? downloadLink(baseUrl, experimentKey, asset),
    compressedAssetLink: null,
    s3Link: null,
    createdAt: asset.createdAt,
    dir: dirOf(asset),
    canView: !remote && viewable.test(media),
    audio: asset.type === 'audio',
    video: asset.type === 'video',
    histogram: asset.type === 'histogram3d',
    image: isImageType(asset.type),
    type: asset.type,
    metadata: asset.metadata ?? null,
    tags: asset.tags,
    curlDownload: `curl -H 'Authorization: <API key>' -o asset '${baseUrl}/api/rest/v2/experiment/asset/get-asset?experimentKey=${word(experimentKey)}&assetId=${word(asset.id)}'`,
    experimentKey,
    width: asset.width ?? null,
    height: asset.height ?? null,
  };
};
