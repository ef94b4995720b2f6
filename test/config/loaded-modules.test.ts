// What a start loads: packages that only some servers or some requests need are loaded by those.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';

/** Dependencies that every server loads before its first request, beside those that the build joins with our own files. */
const needed = new Set([
  '@node-rs/argon2', // the first start keeps the administrator's key
  'cookie',
  'pbf',
  'pino',
  'uuid',
]);

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** A module that, imported first, notes every module that is loaded after it. */
const noteLoaded = (file: string): string => {
  const note = `import { appendFileSync } from 'node:fs';
const note = (place) => appendFileSync(${JSON.stringify(file)}, place + '\\n');`;
  const hooks = `${note} export const load = (url, context, next) => { note(url); return next(url, context); };`;
  return asModule(`${note}
import Module, { register } from 'node:module';
register(${JSON.stringify(asModule(hooks))});
const load = Module._load;
Module._load = function (request, parent, ...more) {
  // What cannot be found is told by the load that follows: nothing was loaded of it that could be noted.
  try { note(Module._resolveFilename(request, parent)); } catch {}
  return load.call(this, request, parent, ...more);
};`);
};

const packageOf = (place: string): string | undefined =>
  /^(?:@[^/]+\/)?[^/]+/.exec(place.split('/node_modules/').at(-1) ?? '')?.[0];

describe('a server that has just started', () => {
  let folder: string;
  let loaded: ReadonlySet<string | undefined>;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'orrery-loaded-'));
    const file = join(folder, 'loaded');
    const server = await startServer({
      storage: 'embedded',
      apart: true,
      env: { NODE_OPTIONS: `--import ${noteLoaded(file)}` },
    });
    if ('missing' in server) return pendingUnlessAll(this, server.missing);
    await server.stop();
    loaded = new Set(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((place) => place.includes('/node_modules/'))
        .map(packageOf),
    );
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('has loaded no package that it may never need', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    ) as Readonly<Record<string, Readonly<Record<string, string>>>>; // as npm writes it
    const every = Object.keys({ ...dependencies, ...optionalDependencies });

    expect(loaded.has('pino')).to.equal(true, 'what is loaded is noted');
    expect(every.filter((name) => loaded.has(name) && !needed.has(name))).to.deep.equal([]);
  });
});
