// A process that serves the folder named by its argument until it is told to end: what a case kills, or starts twice.
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { isFailure } from '#ports/failure';

const silent = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

try {
  const server = await startEmbedded({ folder: process.argv[2] ?? '', log: silent });
  const alive = setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => {
    clearInterval(alive);
    void server.stop();
  });
  process.stdout.write(
    `${JSON.stringify({ connection: server.connection, started: server.started })}\n`,
  );
} catch (error) {
  if (!isFailure(error)) throw error;
  process.stdout.write(`${JSON.stringify({ kind: error.kind, message: error.message })}\n`);
}
