import { areaSettings, flag, whole, type InForce } from '#ports/area-settings';

const week = 7 * 24 * 3600;

export const assetSettings = areaSettings('assets', {
  ASSET_REDIRECT_SIZE_LIMIT: whole(
    524_288_000,
    'Downloads larger than this are redirected where the client allows it, in bytes',
  ),
  MAX_3D_VISUALIZATION_BOXES: whole(1_000_000, 'Boxes in one 3D asset'),
  MAX_3D_VISUALIZATION_POINTS: whole(1_000_000, 'Points in one 3D asset'),
  MAX_3D_VISUALIZATION_BOXES_FILE_SIZE: whole(50_000_000, 'Bytes of the boxes of one 3D asset'),
  MAX_3D_VISUALIZATION_POINTS_FILE_SIZE: whole(50_000_000, 'Bytes of the points of one 3D asset'),
  MAX_ASSET_NAMES_IN_ASSET_SEARCH: whole(250, 'Names in one search for assets'),
  MAX_EXPERIMENTS_IN_ASSET_SEARCH: whole(100, 'Experiments in one search for assets'),
  MIN_ASSET_SEARCH_PHRASE_LEN: whole(3, 'Shortest phrase of a search for assets'),
  IMAGE_PRE_SIGNED_URL_EXP_SECONDS: whole(week, 'Life of a signed link to an image', 1),
  VIDEO_PRE_SIGNED_URL_EXP_SECONDS: whole(week, 'Life of a signed link to a video', 1),
  ADD_IMAGE_DIMENSIONS: flag(true, 'Store width and height with an image'),
  FILTER_REMOTE_ASSET_ON_DOWNLOAD: flag(true, 'Leave remote assets out of zip downloads'),
  ALLOW_S3_DIRECT_DOWNLOAD: flag(
    false,
    'Let clients upload and download large files straight to and from storage',
  ),
  ORRERY_ASSET_SIZE_LIMIT_MB: whole(102_400, 'Largest asset', 1),
  ORRERY_VIDEO_SIZE_LIMIT_MB: whole(2048, 'Largest video', 1),
  ORRERY_IMAGES_PER_EXPERIMENT_LIMIT: whole(0, 'Images an experiment may hold; 0 is no limit'),
  ORRERY_ASSETS_PER_KIND_LIMIT: whole(
    0,
    'Assets of one further kind an experiment may hold; 0 is no limit',
  ),
});
export type AssetSettings = InForce<typeof assetSettings>;
