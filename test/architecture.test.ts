import { expect } from 'chai';
import { rules } from './tree/rules.js';
import { parse, readTree, type SourceText } from './tree/source.js';

/** For each rule, files that break it. */
const strays: Readonly<Record<string, readonly SourceText[]>> = {
  'everybody imports ports, nobody imports anybody else, and config knows them all': [
    { path: 'ports/a.ts', text: "import type { A } from '#core/areas';" },
    { path: 'core/things/b.ts', text: "import { b } from '#adapters/http/mount';" },
    { path: 'adapters/http/c.ts', text: "export const c = () => import('#core/gate');" },
    { path: 'plugins/one/d.ts', text: "import { d } from '../../config/load.js';" },
    { path: 'config/e.ts', text: "import { e } from '#test/run';" },
  ],
  'ports and core import no packages and do no input or output': [
    { path: 'core/things/a.ts', text: "import { readFile } from 'node:fs/promises';" },
    { path: 'ports/b.ts', text: "import { Type } from '@sinclair/typebox';" },
    { path: 'ports/api/c.ts', text: "type C = import('knex').Knex;" },
  ],
  'one area of core reaches another through its rules, offers and settings only': [
    { path: 'core/assets/a.ts', text: "import { a } from '../metrics/charts.js';" },
  ],
  'core asks for the stores that it uses, never for the whole storage': [
    {
      path: 'core/things/a.ts',
      text: "import { Storage } from '#ports/storage/storage';\nexport const needs = { storage: Storage };",
    },
  ],
  'one technology never imports another': [
    { path: 'adapters/blob/s3/a.ts', text: "import { a } from '../filesystem/layout.js';" },
    { path: 'adapters/storage/sql/b.ts', text: "import { b } from '../postgres/dialect.js';" },
    { path: 'adapters/http/c.ts', text: "import { c } from '../system/clock.js';" },
  ],
  'one plugin never imports another': [
    { path: 'plugins/one/a.ts', text: "import { a } from '../two/b.js';" },
  ],
  'only config reads the environment and knows the container': [
    { path: 'adapters/http/a.ts', text: "export const a = process.env['HOME'];" },
    { path: 'core/b.ts', text: "import { Container } from 'inversify';" },
  ],
  'core and ports know no clock and no chance': [
    { path: 'core/things/a.ts', text: 'export const a = () => Date.now() + Math.random();' },
    { path: 'ports/b.ts', text: 'export const b = () => new Date();' },
    { path: 'core/c.ts', text: 'export const c = () => globalThis.performance.now();' },
  ],
  'no store asks which engine it runs on': [
    {
      path: 'adapters/storage/sql/a.ts',
      text: "export const a = (db: any) => db.client.config.client === 'pg';",
    },
    {
      path: 'adapters/storage/sql/metrics/b.ts',
      text: "export const b = (connection: any) => connection.dialect.name === 'mysql';",
    },
  ],
  'every export has a name and every file something of its own': [
    { path: 'core/things/a.ts', text: 'export default 1;' },
    { path: 'ports/index.ts', text: "export * from './clock.js';" },
    { path: 'adapters/http/c.ts', text: 'export default function c() {}' },
  ],
  'the suites of the package import nothing that is not in it': [
    { path: 'test/contract/a.ts', text: "import type { A } from '#adapters/storage/sql/storage';" },
    { path: 'test/contract/storage/b.ts', text: "import { b } from '#test/pending';" },
  ],
  'nothing imports itself in a circle': [
    { path: 'core/a.ts', text: "import { b } from './b.js';\nexport const a = b;" },
    { path: 'core/b.ts', text: "import { a } from './a.js';\nexport const b = a;" },
  ],
};

const blameless: readonly SourceText[] = [
  { path: 'core/areas.ts', text: "import { a } from './things/things.js';" },
  {
    path: 'core/things/things.ts',
    text: "// Date.now() and import('knex')\nimport type { Clock } from '#ports/clock';\nimport { codes } from '../codes.js';\nexport const a = 'Math.random() process.env';",
  },
  {
    path: 'adapters/storage/postgres/a.ts',
    text: "import { a } from '../sql/storage.js';\nimport pg from 'pg';",
  },
  { path: 'plugins/one/entry.ts', text: 'export default {};' },
];

describe('the tree', () => {
  const tree = readTree().map(parse);

  it('is read whole', () => {
    expect(tree.length).to.be.greaterThan(150);
    for (const path of [
      'ports/failure.ts',
      'core/gate.ts',
      'adapters/storage/sql/storage.ts',
      'config/compose.ts',
    ])
      expect(tree.map((source) => source.path)).to.include(path);
  });

  for (const [title, rule] of Object.entries(rules)) {
    it(title, () => {
      expect(rule(tree)).to.deep.equal([]);
    });
  }

  describe('a planted stray', () => {
    for (const [title, rule] of Object.entries(rules)) {
      const files = strays[title] ?? [];
      it(`is found: ${title}`, () => {
        expect(files).to.not.deep.equal([]);
        const circle = title.includes('circle');
        for (const planted of circle ? [files] : files.map((file) => [file]))
          expect(rule([...tree, ...planted.map(parse)]), planted[0]?.path).to.not.deep.equal([]);
      });
    }

    it('is nothing that only looks like one', () => {
      for (const rule of Object.values(rules)) expect(rule(blameless.map(parse))).to.deep.equal([]);
    });
  });
});
