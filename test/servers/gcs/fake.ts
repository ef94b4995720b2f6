// A strict stand-in for Google Cloud Storage: the part of its JSON and XML interfaces that blobs need, with tokens, signatures, expiry,
// hashes and the state of interrupted uploads checked as the service does. The official client is what shows that it is like the service.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, answerJson, Refusal, type Exchange } from './exchange.js';
import { jsonInterface } from './json.js';
import { makeAccount, refuseLink, refuseToken } from './permission.js';
import { resumeUpload } from './uploads.js';
import type { Bucket, World } from './world.js';
import { xmlInterface } from './xml.js';

export interface FakeGcs {
  readonly url: string;
  stop(): Promise<void>;
}

const isJson = (path: string): boolean => /^\/(storage|upload\/storage)\/v1\//.test(path);

const refuse = (exchange: Exchange, thrown: unknown): void => {
  const { status, code, message } =
    thrown instanceof Refusal ? thrown : new Refusal(500, 'backendError', String(thrown));
  if (exchange.reply.headersSent) {
    exchange.reply.destroy();
    return;
  }
  if (isJson(exchange.url.pathname))
    answerJson(
      exchange,
      { error: { code: status, message, errors: [{ domain: 'global', reason: code, message }] } },
      status,
    );
  else
    answer(
      exchange,
      status,
      `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code === 'notFound' ? 'NoSuchBucket' : code}</Code><Message>${message}</Message></Error>`,
      { 'content-type': 'application/xml; charset=UTF-8' },
    );
};

/** Starts it on a loopback port with one account, whose key is part of its address. */
export const startFakeGcs = async (): Promise<FakeGcs> => {
  const account = makeAccount();
  const folder = mkdtempSync(join(tmpdir(), 'orrery-gcs-'));
  const buckets = new Map<string, Bucket>();

  const permit = ({ request, url }: Exchange): void => {
    const signed = url.searchParams.has('X-Goog-Signature');
    const wrong = signed ? refuseLink(account, request, url) : refuseToken(account, request);
    if (wrong === undefined) return;
    if (signed)
      throw new Refusal(
        wrong === 'ExpiredToken' ? 400 : 403,
        /^[A-Z]/.test(wrong) ? wrong : 'AccessDenied',
        wrong,
      );
    throw new Refusal(401, 'authError', `Invalid Credentials: ${wrong}`);
  };
  const handle = async (exchange: Exchange): Promise<void> => {
    const world: World = { buckets, folder };
    // The address of an upload in progress is its own permission.
    if (exchange.url.searchParams.has('upload_id')) {
      await resumeUpload(world, exchange);
      return;
    }
    permit(exchange);
    await (isJson(exchange.url.pathname)
      ? jsonInterface(world, exchange)
      : xmlInterface(world, exchange));
  };
  const server = createServer((request: IncomingMessage, reply: ServerResponse) => {
    const exchange: Exchange = {
      request,
      reply,
      url: new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`),
    };
    handle(exchange).catch((thrown: unknown) => {
      refuse(exchange, thrown);
    });
  });
  // A connection that is let go while a client takes it up again is a fault of its own, which those who ask for it make themselves.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  server.unref();
  return {
    url: `${origin}/?credentials=${Buffer.from(JSON.stringify(account.credentials)).toString('base64url')}`,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
