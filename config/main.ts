import { setFlagsFromString } from 'node:v8';

// The Postgres client asks what it runs on. Before Node 21, which has this, it loads the whole of `fetch` to find out: a tenth of a start.
if (!('navigator' in globalThis))
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { userAgent: `Node.js/${process.versions.node.split('.')[0] ?? ''}` },
  });

// What a start leaves behind makes room for new objects grow to 32 MB, which an idle server never needs again and never gives back.
setFlagsFromString('--semi-space-growth-factor=1');

try {
  const { start } = await import('./start.js');
  await start(process.env);
  setFlagsFromString('--semi-space-growth-factor=2');
  // Left to itself, the heap grows to four times what is in use before what is not is looked for: hundreds of megabytes under load, for a few percent of its time.
  setFlagsFromString('--heap-growing-percent=50');
} catch (thrown) {
  const { isFailure } = await import('#ports/failure');
  process.stderr.write(
    isFailure(thrown)
      ? `Orrery cannot start: ${thrown.message}\n`
      : `Orrery cannot start: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
  process.exit(1);
}
