// Compiles the tree when a source is newer than the last build. It needs no install script, so `npm ci --ignore-scripts` suffices.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built');
const sources = ['ports', 'core', 'adapters', 'plugins', 'config', 'test'].map((name) => join(root, name)).filter(existsSync);

const newest = (at) => {
  if (!statSync(at).isDirectory()) return statSync(at).mtimeMs;
  return Math.max(statSync(at).mtimeMs, ...readdirSync(at).map((name) => newest(join(at, name))));
};

// A packed package ships `dist` and no sources: there is nothing to build then.
const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
const builtAt = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
if (sources.length > 0 && Math.max(newest(join(root, 'tsconfig.json')), ...sources.map(newest)) > builtAt) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const done = spawnSync(process.execPath, [compiler, '-p', root], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  writeFileSync(stamp, '');
}
