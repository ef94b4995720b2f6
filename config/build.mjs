// Compiles the tree when a source is newer than the last build. It needs no install script, so `npm ci --ignore-scripts` suffices.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist');
const stamp = join(out, '.built');
const folders = ['ports', 'core', 'adapters', 'plugins', 'config', 'test'].filter((name) => existsSync(join(root, name)));

const newest = (at) => {
  if (!statSync(at).isDirectory()) return statSync(at).mtimeMs;
  return Math.max(statSync(at).mtimeMs, ...readdirSync(at).map((name) => newest(join(at, name))));
};

/** Removes what was compiled from a source that is gone; the rest stays, so that a running server keeps its files. */
const sweep = (at) => {
  for (const name of readdirSync(at)) {
    const file = join(at, name);
    if (statSync(file).isDirectory()) sweep(file);
    else if (statSync(file).mtimeMs < started && file !== stamp) rmSync(file);
  }
};

// A packed package ships `dist` and no sources: there is nothing to build then.
const builtAt = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
const started = Date.now() - 10;
if (folders.length > 0 && Math.max(newest(join(root, 'tsconfig.json')), ...folders.map((name) => newest(join(root, name)))) > builtAt) {
  const done = spawnSync(process.execPath, [join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-p', root], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  sweep(out);
  writeFileSync(stamp, '');
}
