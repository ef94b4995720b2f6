// Which media type an asset is served as. Pure.
import type { Asset } from '#ports/model/assets';

const groups: Readonly<Record<string, string>> = {
  'text/plain':
    'txt text log r rmd py ipy js mjs ts tsx jsx java scala kt c h cc cpp hpp cs go rs rb php pl sh bash zsh bat ps1 sql md rst tex toml ini cfg conf env properties lock diff patch yml yaml tsv jsonl ndjson srt vtt lua jl m swift',
  'text/csv': 'csv',
  'text/html': 'html htm',
  'text/css': 'css',
  'text/xml': 'xml',
  'application/json': 'json geojson ipynb',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz tgz',
  'image/png': 'png',
  'image/jpeg': 'jpg jpeg jpe',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/bmp': 'bmp',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg oga',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4 m4v',
  'video/quicktime': 'mov',
  'video/x-ms-wmv': 'wmv',
  'video/webm': 'webm',
  'video/x-msvideo': 'avi',
};
const byExtension = new Map(
  Object.entries(groups).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, type] as const),
  ),
);

/** What assets of a type are when their name does not tell. */
const byType = new Map([
  ['source_code', 'text/plain'],
  ['text-sample', 'text/plain'],
  ['image', 'image/png'],
  ['shap', 'image/png'],
  ['prophet', 'image/png'],
  ['audio', 'audio/wav'],
  ['video', 'video/mp4'],
  ['curve', 'application/json'],
  ['confusion-matrix', 'application/json'],
  ['histogram3d', 'application/json'],
  ['embeddings', 'application/json'],
  ['llm_data', 'application/json'],
  ['3d-image', 'application/json'],
  ['notebook', 'application/json'],
  ['datagrid', 'application/octet-stream'],
]);

/** What follows the last dot of a name without its folders; a name without a dot has no extension. */
const endingOf = (fileName: string): string =>
  /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';

/** The media type by the extension of the file name, by the extension that the client sent, by the asset's type; else bytes. */
export const contentTypeOf = ({
  fileName,
  extension,
  type,
}: Pick<Asset, 'fileName' | 'extension' | 'type'>): string =>
  byExtension.get(endingOf(fileName)) ??
  byExtension.get((extension ?? '').replace(/^\./, '').toLowerCase()) ??
  byType.get(type) ??
  'application/octet-stream';
