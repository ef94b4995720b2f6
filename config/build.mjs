// Compiles the tree when a source is newer than the last build, and joins what a server loads. It needs no install script, so `npm ci --ignore-scripts` suffices.
// Types are checked by `npm run typecheck` alone, which takes as long as all of this: nobody who starts a server should wait for it.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'dist');
const stamp = path.join(out, '.built');
const folders = ['ports', 'core', 'adapters', 'plugins', 'config', 'test'].filter((name) =>
  existsSync(path.join(root, name)),
);

/** Compiles a project, or ends here. */
const compile = (project, ...options) => {
  const done = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-p', project, ...options],
    { stdio: 'inherit' },
  );
  if (done.status !== 0) process.exit(done.status ?? 1);
};

const newest = (at) => {
  if (!statSync(at).isDirectory()) return statSync(at).mtimeMs;
  return Math.max(
    statSync(at).mtimeMs,
    ...readdirSync(at).map((name) => newest(path.join(at, name))),
  );
};

/** Removes what was compiled from a source that is gone; the rest stays, so that a running server keeps its files. */
const sweep = (at) => {
  for (const name of readdirSync(at)) {
    const file = path.join(at, name);
    if (statSync(file).isDirectory()) sweep(file);
    else if (statSync(file).mtimeMs < started && file !== stamp) rmSync(file);
  }
};

/** Packages that every start loads: their code, and that of what they need, goes into the joined files, and what it may be used for goes with it. */
const joinedPackages =
  /^(inversify|reflect-metadata|knex|pg|ajv|ajv-formats|koa|@koa\/router|prom-client|@fastify\/busboy|ipaddr\.js)(\/|$)/;
/** What those ask for and get as it is: the platform, and drivers that are loaded only where they are used. */
const apartPackages =
  /^(pg-native|pg-query-stream|mysql2?|mariadb|oracledb|sqlite3|better-sqlite3|tedious)(\/|$)/;

/** What sets how the process runs before anything else is loaded. */
const main = /config[\\/]main\.js$/;

/** Files that are run as threads, which their names tell. */
const threads = ['adapters', 'plugins'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('-thread.ts'))
    .map((name) => path.join(folder, name.replace(/ts$/, 'js'))),
);

/**
 * Lets every way into the joined files come by all ports first: what each needs of them is then the same, and lies in one file. Otherwise there is a
 * file for each set of ways that share something, and two hundred of them are loaded at a start.
 */
const byAllPorts = (ports) => ({
  name: 'by all ports',
  setup(given) {
    const importing = (file) => `import ${JSON.stringify(file)};`;
    const way = async ({ path: name, kind, pluginData, ...asked }) => {
      if (pluginData === 'found') return undefined;
      const found = await given.resolve(name, { ...asked, kind, pluginData: 'found' });
      return found.external || found.errors.length > 0
        ? found
        : { path: found.path, namespace: 'way' };
    };
    given.onResolve({ filter: /./ }, (asked) => {
      if (asked.kind === 'dynamic-import' && /^[.#]/.test(asked.path)) return way(asked);
      if (asked.kind !== 'entry-point' || main.test(asked.path)) return undefined;
      return threads.some((file) => asked.path.endsWith(file)) ? undefined : way(asked);
    });
    given.onResolve({ filter: /^all ports$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'ports',
    }));
    given.onLoad({ filter: /./, namespace: 'ports' }, () => ({
      contents: ports.map(importing).join('\n'),
      resolveDir: root,
    }));
    given.onLoad({ filter: /./, namespace: 'way' }, ({ path: file }) => {
      const source = readFileSync(file, 'utf8');
      const from = `from ${JSON.stringify(file)};`;
      return {
        contents: [
          ...(/^#!.*/.exec(source) ?? []), // that it is a program
          importing('all ports'),
          `export * ${from}`,
          ...(/export default |\bas default\b/.test(source) ? [`export { default } ${from}`] : []),
        ].join('\n'),
        resolveDir: path.dirname(file),
      };
    });
  },
});

/**
 * Puts what the programs load into a few files in the place of many, since finding and reading six hundred modules is a third of a start. Ports and
 * plugins keep their paths and stand for what is in those files, so that whoever imports them, and the server, have the same ports. Packages stay
 * where they are but for the container, which comes in two hundred and fifty modules.
 */
const joinFiles = async () => {
  const { build } = await import('esbuild');
  const filesIn = (folder) =>
    readdirSync(path.join(out, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js') && !name.split(path.sep).includes('page'))
      .map((name) => path.join(out, folder, name))
      .filter((file) => statSync(file).mtimeMs >= started); // not what is left of a source that is gone
  const ports = filesIn('ports');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      path.join(out, 'config', 'main.js'),
      path.join(out, 'config', 'cli.js'),
      ...ports,
      ...filesIn('plugins'),
    ]
      .map((file) => ({ in: file, out: path.relative(out, file).slice(0, -'.js'.length) }))
      .concat(
        // Beside the joined files, as it is beside the file that starts it.
        threads.map((file) => ({
          in: path.join(out, file),
          out: path.join('parts', path.basename(file, '.js')),
        })),
      ),
    outbase: out,
    outdir: out,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
    logLevel: 'warning',
    // What was written for the older form of modules asks for the platform by it.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      byAllPorts(ports),
      {
        name: 'packages',
        setup(given) {
          given.onResolve({ filter: /^[^.#/]/ }, ({ path: name, importer }) =>
            (joinedPackages.test(name) || importer.includes('node_modules')) &&
            !isBuiltin(name) &&
            !apartPackages.test(name)
              ? undefined
              : { path: name, external: true },
          );
        },
      },
    ],
  });
  writeFileSync(path.join(out, 'parts', 'LICENSES'), licensesOf(metafile));
};

/** The licenses of the packages whose code was joined. */
const licensesOf = (metafile) => {
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap(
      (name) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name) ?? [],
    ),
  );
  return [...packages]
    .sort()
    .map((one) => `${one.slice('node_modules/'.length)}\n\n${licenseOf(path.join(root, one))}`)
    .join('\n\n');
};

/** Suites that vendors run stand on code that the package holds in joined files only: it is joined into them. Ports stay apart, as there must be one of each. */
const standing = ['storage/search', 'storage/decisions', 'shipped'];

const joinSuites = async () => {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: standing.map((name) => path.join(out, 'test', 'contract', `${name}.js`)),
    outbase: out,
    outdir: out,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'test/contract/parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    plugins: [
      {
        name: 'packages and ports',
        setup(given) {
          given.onResolve({ filter: /^([^.#/]|#ports\/)/ }, ({ path: name }) => ({
            path: name,
            external: true,
          }));
        },
      },
    ],
  });
};

/**
 * Screens that are fetched later come after the first, which they say by importing it: what they share with it then lies in the one file that it
 * is, and not in a file for each set of screens that share something.
 */
const afterFirst = (first) => ({
  name: 'after the first screen',
  setup(given) {
    const later = new Set();
    given.onResolve({ filter: /^\./ }, async ({ path: name, kind, pluginData, ...asked }) => {
      if (kind !== 'dynamic-import' || pluginData === later) return undefined;
      const found = await given.resolve(name, { ...asked, kind, pluginData: later });
      later.add(found.path);
      return found;
    });
    given.onLoad({ filter: /\.tsx?$/ }, ({ path: file }) =>
      later.has(file)
        ? {
            contents: `${readFileSync(file, 'utf8')}\nimport ${JSON.stringify(first)};`,
            loader: 'tsx',
            resolveDir: path.dirname(file),
          }
        : undefined,
    );
  },
});

/**
 * Makes the files that browsers load of the plugins: of a `client/page.ts` one script for the web UI, in `page`; of a `client/main.tsx` one script and one style, named by
 * what is in them and packed, as they are sent, with the scripts of threads beside it; and of a `client/report/main.ts` what goes into files that stand alone.
 */
const buildClients = async () => {
  const { build } = await import('esbuild');
  for (const name of readdirSync(path.join(root, 'plugins'))) {
    const client = path.join(root, 'plugins', name, 'client');
    if (existsSync(path.join(client, 'page.ts')))
      await build({
        absWorkingDir: root,
        entryPoints: [path.join(client, 'page.ts')],
        outdir: path.join(out, 'plugins', name, 'page'),
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'es2022',
        logLevel: 'warning',
      });
    if (!existsSync(path.join(client, 'main.tsx'))) continue;
    const to = path.join(out, 'plugins', name, 'files');
    const alone = {
      absWorkingDir: root,
      outdir: to,
      entryNames: '[name]-[hash]',
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      write: false,
      logLevel: 'warning',
    };
    // What runs beside the page is named to it, as it is asked for by its address.
    const threads = {
      LARGE_WORKER: 'trace/large-worker.ts',
      FILES_WORKER: 'media/files-worker.ts',
    };
    const workers = await build({
      ...alone,
      entryPoints: Object.values(threads).map((file) => path.join(client, file)),
      // Beside each other, whatever folders they come from.
      outbase: client,
      entryNames: '[name]-[hash]',
    });
    const addressOfThread = (file) => {
      const begins = `${path.basename(file, '.ts')}-`;
      const made = workers.outputFiles.map((one) => path.basename(one.path));
      return JSON.stringify(`/app/${made.find((name) => name.startsWith(begins))}`);
    };
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: [path.join(client, 'main.tsx')],
      outdir: to,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      write: false,
      metafile: true,
      logLevel: 'warning',
      define: Object.fromEntries(
        Object.entries(threads).map(([name, file]) => [name, addressOfThread(file)]),
      ),
      plugins: [afterFirst(path.join(client, 'shell', 'shell.tsx'))],
    });
    const report = await build({
      ...alone,
      entryPoints: [{ in: path.join(client, 'report', 'main.ts'), out: 'report' }],
    });
    outputFiles.push(...workers.outputFiles, ...report.outputFiles);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    for (const { path: file, contents } of outputFiles)
      writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }));
    writeFileSync(
      path.join(to, 'screens.json.gz'),
      gzipSync(JSON.stringify(screensOf(metafile, client))),
    );
    writeFileSync(path.join(to, 'LICENSES.txt.gz'), gzipSync(licensesOf(metafile)));
  }
};

/** The scripts that are fetched later, by the source that each begins with: the page names the one that it will show first. */
const screensOf = ({ outputs }, client) =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
      entryPoint === undefined
        ? []
        : [
            [
              path.relative(client, path.join(root, entryPoint)).replace(/\.tsx?$/, ''),
              path.basename(file),
            ],
          ],
    ),
  );

const licenseOf = (folder) => {
  const name = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (name !== undefined) return readFileSync(path.join(folder, name), 'utf8');
  // Some name it in their description alone.
  const { license, author } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${folder} names no license to go with its code`);
  return `${license}, ${typeof author === 'string' ? author : (author?.name ?? 'its authors')}`;
};

// A packed package ships `dist` and no sources: there is nothing to build then.
const builtAt = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
const started = Date.now() - 10;
if (process.argv.includes('--client')) {
  await buildClients(); // without the stamp, so that the next whole build compiles the rest
} else if (
  folders.length > 0 &&
  Math.max(
    newest(path.join(root, 'tsconfig.json')),
    ...folders.map((name) => newest(path.join(root, name))),
  ) > builtAt
) {
  compile(root, '--noCheck');
  await joinSuites();
  await buildClients();
  await joinFiles();
  sweep(out);
  writeFileSync(stamp, '');
}
