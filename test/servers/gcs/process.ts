// The stand-in for Google Cloud Storage in a process of its own, for what measures the process that uses it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startFakeGcs, type FakeGcs } from './fake.js';

const self = fileURLToPath(import.meta.url);

/** Starts it; it ends with this process. */
export const forkFakeGcs = async (): Promise<FakeGcs> => {
  const child = fork(self, ['serve'], { stdio: 'inherit' });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (address) => {
      resolve(String(address));
    });
    child.once('exit', (code) => {
      reject(new Error(`the stand-in for GCS ended with ${String(code)}`));
    });
  });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.disconnect();
      }),
  };
};

if (process.argv[1] === self && process.argv[2] === 'serve') {
  const fake = await startFakeGcs();
  process.on('disconnect', () => {
    void fake.stop().then(() => process.exit(0));
  });
  process.send?.(fake.url);
}
