// `npm run dev`: builds when a source changes and starts the server again; a build that fails leaves the server as it was.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const quietMs = 150;
const folders = ['ports', 'core', 'adapters', 'plugins', 'config'].filter((name) =>
  existsSync(path.join(root, name)),
);
const isSource = /\.(?:tsx?|css|json|mjs)$/;
const isOfClient = /^plugins[/\\][^/\\]+[/\\](?:client|pure)[/\\]/;
const say = (words) => process.stdout.write(`dev: ${words}\n`);

let server;
let ending = false;
/** What has changed since the last build began. */
let changed = new Set();
let wake = () => undefined;

const run = async (...words) => {
  const child = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
};

const stopServer = async () => {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
};

const startServer = async () => {
  await stopServer();
  if (ending) return;
  const begun = spawn(process.execPath, ['dist/config/main.js'], { cwd: root, stdio: 'inherit' });
  begun.once('exit', (code) => {
    if (code !== 0 && code !== null && !ending)
      say(`the server ended with ${code}; it starts again after a change`);
  });
  server = begun;
};

for (const folder of folders)
  watch(path.join(root, folder), { recursive: true }, (_, name) => {
    if (name === null || !isSource.test(name)) return;
    changed.add(path.join(folder, name));
    wake();
  });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    ending = true;
    await stopServer();
    process.exit(0);
  });

if (await run('config/build.mjs')) await startServer();
else say('the build failed; it begins again after a change');
for (;;) {
  if (changed.size === 0)
    await new Promise((resolve) => {
      wake = resolve;
    });
  await new Promise((resolve) => setTimeout(resolve, quietMs)); // editors write several times
  const files = [...changed];
  changed = new Set();
  const began = Date.now();
  const onlyClient = files.every((file) => isOfClient.test(file));
  if (await run('config/build.mjs', ...(onlyClient ? ['--client'] : []))) {
    say(`built in ${((Date.now() - began) / 1000).toFixed(1)} s after ${files[0]} changed`);
    await startServer();
  } else say('the build failed; the server is as it was');
}
