// Bodies must keep coming: a connection is not held by a byte now and then.
import type { IncomingMessage, Server } from 'node:http';

export interface LeastRate {
  /** How long a body may take whatever its size, in ms. */
  readonly graceMs: number;
  /** What it must bring for each further second; 0 is no bound. */
  readonly bytesPerSecond: number;
  readonly lookEveryMs: number;
}

interface Watched {
  readonly request: IncomingMessage;
  readonly bytesBefore: number;
  /** When the grace ends; later by what the server itself did not read. */
  endsAt: number;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Ends connections whose request body comes slower than that, on the average since it began. Time in which the server is the slow one does not count. */
export const requireRate = (
  server: Server,
  { graceMs, bytesPerSecond, lookEveryMs }: LeastRate,
): void => {
  if (bytesPerSecond === 0) return;
  const watched = new Set<Watched>();
  server.on('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    const one: Watched = {
      request,
      bytesBefore: request.socket.bytesRead,
      endsAt: performance.now() + graceMs,
    };
    watched.add(one);
    // At once, not at the next look: a request holds its body and its reply, which would grow old with it.
    for (const end of ['end', 'close'] as const) request.once(end, () => watched.delete(one));
  });
  const look = setInterval(() => {
    for (const one of watched) {
      const { request, bytesBefore } = one;
      if (request.complete || request.destroyed) continue; // only what is to be read of it is waited for
      if (request.readableLength > 0) one.endsAt += lookEveryMs;
      const earnedMs = ((request.socket.bytesRead - bytesBefore) / bytesPerSecond) * 1000;
      if (performance.now() > one.endsAt + earnedMs) request.socket.destroy();
    }
  }, lookEveryMs);
  look.unref();
  server.once('close', () => {
    clearInterval(look);
  });
};
