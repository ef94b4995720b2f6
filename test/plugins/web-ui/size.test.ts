// What a browser loads before the first screen, and with those that come later.
import { expect } from 'chai';
import type { Place } from '#plugins/web-ui/pure/address';
import { appPage, readFiles, staticImports } from '#plugins/web-ui/files';
import { screenSources } from '#plugins/web-ui/pure/screens';
import { fileURLToPath } from 'node:url';

const mostAtFirst = 80_000;
const mostLater = 35_000;

describe('the files of the web UI', () => {
  const files = readFiles(
    fileURLToPath(new URL('../../../plugins/web-ui/files/', import.meta.url)),
  );
  const main = [...files.keys()].find((name) => /^main-\w+\.js$/.test(name)) ?? '';
  const atFirst = new Set([
    main,
    ...staticImports(files, main),
    ...[...files.keys()].filter((name) => name.endsWith('.css')),
  ]);
  const size = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (files.get(name)?.gzip.length ?? 0), 0);

  it('stay small enough for a slow line, and come with the licenses of what is in them', () => {
    expect(size(atFirst)).to.be.within(20_000, mostAtFirst);
    const licenses = new TextDecoder().decode(files.get('LICENSES.txt')?.plain());
    for (const name of ['preact', 'uplot']) expect(licenses).to.contain(name);
  });

  it('are fetched for a later screen without much waiting', () => {
    const later = [...files.keys()].filter((name) => name.endsWith('.js') && !atFirst.has(name));
    for (const name of later) {
      const needs = [name, ...staticImports(files, name)].filter((one) => !atFirst.has(one));
      expect([name, size(needs)]).to.satisfy(([, bytes]: [string, number]) => bytes < mostLater);
    }
  });

  it('are named by the page all at once, so that none waits for another', () => {
    const page = appPage(files).join('');
    for (const name of atFirst) expect(page).to.contain(`/app/${name}"`);
  });

  it('are named by the page of each later screen, with what its script needs', () => {
    const scripts = JSON.parse(
      new TextDecoder().decode(files.get('screens.json')?.plain()),
    ) as Readonly<Record<string, string>>; // as the build writes it
    const screens = Object.entries(screenSources) as [Place['screen'], string][]; // its own keys
    for (const [screen, source] of screens) {
      const script = scripts[source] ?? '';
      expect([source, files.has(script)]).to.deep.equal([source, true]);
      const page = appPage(files, screen).join('');
      for (const name of [...atFirst, script, ...staticImports(files, script)])
        expect(page.split(`/app/${name}"`).length, `${screen}: ${name}`).to.be.within(2, 3);
    }
  });
});
