// Every path that the clients of LLM observability can ask for has a row, but for those of the vendor's own cloud.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { areas } from '#core/areas';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';

/** Its assistant, its runners and how programs are paired with them, its welcome and its reports. */
const left =
  /^\/v1\/private\/(?:local-runners|pairing|ollie|welcome-wizard|report-failures|projects\/\{\}\/reports|llm-provider-key\/auth-config\/test$)/;

const rows = new Set(
  areas.flatMap(({ table }) =>
    Object.values(table).flatMap(({ method, path }) =>
      [path].flat().map((one) => `${method} ${one.replaceAll(/\{[^{}]*\}/g, '{}')}`),
    ),
  ),
);

/** Paths without a row, of those that were found as a method and a path. */
const withoutRow = (found: readonly string[]): readonly string[] =>
  [...new Set(found)]
    .filter((one) => !rows.has(one) && !left.test(one.slice(one.indexOf(' ') + 1)))
    .sort();

/** The texts of all files below a folder whose names end so. */
const codeBelow = (folder: string, end: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/** A path as its client's code has it, from a literal or a template of either language. */
const pathIn = (literal: string): string =>
  `/${literal.replaceAll(/\$?\{[^{}]*\}/g, '{}').replace(/^\//, '')}`;

describe('the clients of LLM observability', () => {
  it('in JavaScript ask for nothing that has no row', () => {
    const folder = dirname(fileURLToPath(import.meta.resolve('opik')));
    const found = codeBelow(folder, '.js').flatMap((text) =>
      [...text.matchAll(/\.Default,["`]([^"`]{1,200})["`]\),method:"([A-Z]{3,6})"/g)].map(
        ([, path = '', method = '']) => `${method} ${pathIn(path)}`,
      ),
    );

    expect(found.length).to.be.greaterThan(200);
    expect(withoutRow(found)).to.deep.equal([]);
  });

  it('in Python ask for nothing that has no row', function () {
    const libraries = join(cacheFolder(), 'python', 'lib');
    const folder = (existsSync(libraries) ? readdirSync(libraries) : [])
      .map((version) => join(libraries, version, 'site-packages', 'opik'))
      .find(existsSync);
    if (folder === undefined)
      return pendingUnlessAll(this, `no Python client: pip install opik below ${libraries}`);
    const found = codeBelow(folder, '.py').flatMap((text) =>
      [...text.matchAll(/\(\s{0,40}f?"(v1\/[^"]{1,200})",\s{0,40}method="([A-Z]{3,6})"/g)].map(
        ([, path = '', method = '']) => `${method} ${pathIn(path)}`,
      ),
    );

    expect(found.length).to.be.greaterThan(400);
    expect(withoutRow(found)).to.deep.equal([]);
  });
});
