// What a browser loads before the first screen.
import { expect } from 'chai';
import { readFiles } from '#plugins/web-ui/files';
import { fileURLToPath } from 'node:url';

const mostBytes = 80_000;

describe('the files of the web UI', () => {
  it('stay small enough for a slow line, and come with the licenses of what is in them', () => {
    const files = readFiles(
      fileURLToPath(new URL('../../../plugins/web-ui/files/', import.meta.url)),
    );
    const loaded = [...files].filter(([name]) => name.startsWith('main-'));
    expect(loaded.map(([name]) => name.split('.').at(-1)).sort()).to.deep.equal(['css', 'js']);
    expect(loaded.reduce((sum, [, { gzip }]) => sum + gzip.length, 0)).to.be.below(mostBytes);
    const licenses = new TextDecoder().decode(files.get('LICENSES.txt')?.plain());
    for (const name of ['preact', 'uplot']) expect(licenses).to.contain(name);
  });
});
