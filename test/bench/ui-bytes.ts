// What a browser loads of the web UI, as it is sent: packed.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { appPage, readFiles, staticImports } from '#plugins/web-ui/files';
import { atMost, round, type Line } from './line.js';

const folder = fileURLToPath(new URL('../../plugins/web-ui/files/', import.meta.url));
const kB = (bytes: number): number => bytes / 1000;

export const uiBytesLine: Line = {
  name: 'ui-bytes',
  run: () => {
    const files = readFiles(folder);
    const named = (pattern: RegExp) => [...files.keys()].filter((name) => pattern.test(name));
    const size = (names: Iterable<string>) =>
      kB([...names].reduce((sum, name) => sum + (files.get(name)?.gzip.length ?? 0), 0));
    const [main = ''] = named(/^main-\w+\.js$/);
    const first = new Set([main, ...staticImports(files, main)]);
    const later = named(/\.js$/)
      .filter((name) => !first.has(name))
      .map((name) => {
        const needs = [name, ...staticImports(files, name)].filter((one) => !first.has(one));
        return { name: name.replace(/-\w+\.js$/, ''), bytes: size(needs) };
      })
      .sort((one, other) => other.bytes - one.bytes);
    const [scripts, styles] = [size(first), size(named(/\.css$/))];
    const page = kB(gzipSync(appPage(files).join('')).length);
    const largest = later[0]?.bytes ?? 0;
    const figure = (what: string, value: number, most: number, sides: string) => ({
      what: `${what}, packed kB`,
      value: round(value, 1),
      sides,
      held: atMost(most, value),
    });
    return Promise.resolve([
      figure('scripts of the first screen', scripts, 80, `${first.size} files; 70 are aimed at`),
      figure('styles', styles, 10, 'one file'),
      figure('the page itself', page, 5, ''),
      figure(
        'scripts of the largest later screen',
        largest,
        35,
        later
          .slice(0, 10)
          .map(({ name, bytes }) => `${name} ${round(bytes, 1)}`)
          .join(', '),
      ),
    ]);
  },
};
