// The built files of the app, packed, as the build put them beside the plugin.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Place } from './pure/address.js';
import type { ReportParts } from './pure/report.js';
import { screenSources, screensSource } from './pure/screens.js';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  webp: 'image/webp',
  woff2: 'font/woff2',
};

/** The media type of a file, by the end of its name. */
export const typeOf = (name: string): string =>
  types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';

export interface AppFile {
  readonly type: string;
  readonly gzip: Uint8Array;
  /** For a client that takes nothing packed. */
  plain(): Uint8Array;
}

/** What is in the folder, by the name that a browser asks for. */
export const readFiles = (folder: string): ReadonlyMap<string, AppFile> =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.gz'))
      .map((packed) => {
        const name = packed.slice(0, -'.gz'.length);
        const gzip = readFileSync(join(folder, packed));
        return [name, { type: typeOf(name), gzip, plain: () => gunzipSync(gzip) }] as const;
      }),
  );

/** What a script needs before it runs, and what that needs in turn; what is fetched later is not among it. */
export const staticImports = (
  files: ReadonlyMap<string, AppFile>,
  name: string,
  found: Set<string> = new Set(),
): ReadonlySet<string> => {
  const script = new TextDecoder().decode(files.get(name)?.plain());
  for (const [, one] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    if (one === undefined || found.has(one)) continue;
    found.add(one);
    staticImports(files, one, found);
  }
  return found;
};

/** The script of a later screen, by the source that it begins with; nothing where it is part of the first. */
const scriptOf = (
  files: ReadonlyMap<string, AppFile>,
  source: string | undefined,
): string | undefined => {
  const text = new TextDecoder().decode(files.get('screens.json')?.plain());
  const scripts = JSON.parse(text === '' ? '{}' : text) as Readonly<Record<string, string>>; // as the build wrote it
  return source === undefined ? undefined : scripts[source];
};

/**
 * The page that loads the app, which the outside finds below the path `base`, in two pieces: between them stands what the page begins with. The first names its files, and those of the screen that is
 * shown first, so that they are fetched meanwhile. The script begins when it is there, and waits for what it needs of the rest.
 */
export const appPage = (
  files: ReadonlyMap<string, AppFile>,
  screen?: Place['screen'],
  base = '',
): readonly [string, string] => {
  const all = [...files.keys()];
  const named = (pattern: RegExp) => all.find((name) => pattern.test(name)) ?? '';
  const [script, style] = [named(/^main-\w+\.js$/), named(/^main-\w+\.css$/)];
  const source = screen === undefined ? undefined : screenSources[screen];
  // What fetches the screen comes by itself too, where the first script does not.
  const later = [screensSource, source].flatMap((one) =>
    source === undefined ? [] : (scriptOf(files, one) ?? []),
  );
  const needed = [
    ...new Set([
      script,
      ...staticImports(files, script),
      ...later.flatMap((one) => [one, ...staticImports(files, one)]),
    ]),
  ]
    .map((name) => `<link rel="modulepreload" href="${base}/app/${name}">`)
    .join('');
  return [
    `<!doctype html>
<html lang="en"${base === '' ? '' : ` data-base="${base}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>Orrery</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${base}/app/${style}">${needed}</head>
<body><div id="app"><header class="top"><span class="mark">Orrery</span></header></div><noscript>This page needs script; <a href="${base}/account">your account</a> does not.</noscript><script type="module" async src="${base}/app/${script}"></script>
`,
    '</body></html>\n',
  ];
};

const digestOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** What a report brings along, read when the first one is made. */
export const reportParts = (files: ReadonlyMap<string, AppFile>): (() => ReportParts) => {
  let parts: ReportParts | undefined;
  return () => {
    if (parts !== undefined) return parts;
    const name = [...files.keys()].find((one) => /^report-\w+\.js$/.test(one)) ?? '';
    const script = new TextDecoder().decode(files.get(name)?.plain());
    parts = { script, digest: digestOf(script) };
    return parts;
  };
};

/** Data as an element that no browser runs. */
export const dataElement = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
