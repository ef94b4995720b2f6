// Uploads that can be taken up again: what has arrived is there for good, and the client may ask how far it came.
import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, answerJson, readBody, Refusal, type Exchange } from './exchange.js';
import { describe, nextNumber, receive, type StoredObject } from './objects.js';
import { checkGeneration, keep, type Bucket, type World } from './world.js';

interface Upload {
  readonly bucket: Bucket;
  readonly given: { readonly name: string; readonly contentType?: string };
  readonly file: string;
  /** The address that began it, whose conditions hold to the end. */
  readonly begun: URL;
  size: number;
  done: StoredObject | undefined;
}

const uploads = new Map<string, Upload>();

export const startUpload = async ({ folder }: World, exchange: Exchange, bucket: Bucket): Promise<void> => {
  const { request, url } = exchange;
  const given = JSON.parse((await readBody(request)).toString() || '{}') as { readonly name?: string; readonly contentType?: string }; // the client's own description of the object
  const name = url.searchParams.get('name') ?? given.name;
  if (name === undefined || name === null) throw new Refusal(400, 'required', 'name is required');
  checkGeneration(url, bucket.objects.get(name));
  const id = randomBytes(16).toString('hex');
  const file = join(folder, `u${nextNumber()}`);
  writeFileSync(file, '');
  const contentType = request.headers['x-upload-content-type']?.toString() ?? given.contentType;
  uploads.set(id, { bucket, given: { name, ...(contentType === undefined ? {} : { contentType }) }, file, begun: url, size: 0, done: undefined });
  answer(exchange, 200, '', { location: `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}` });
};

const tellProgress = (exchange: Exchange, upload: Upload): void => answer(exchange, 308, '', upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` });

const quantum = 256 * 1024;

/** One request to an upload in progress. What breaks off is kept up to a whole number of 256 KiB, as the service does. */
export const resumeUpload = async (world: World, exchange: Exchange): Promise<void> => {
  const { request, url } = exchange;
  const id = url.searchParams.get('upload_id') ?? '';
  const upload = uploads.get(id);
  if (upload === undefined) throw new Refusal(404, 'notFoundUpload', 'the upload is unknown or was cancelled');
  if (request.method === 'DELETE') { uploads.delete(id); rmSync(upload.file, { force: true }); return answer(exchange, 499); }
  if (upload.done !== undefined) { await readBody(request); return answerJson(exchange, describe(upload.done)); }
  const said = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '');
  const [, from, to, total] = said ?? [];
  const whole = total === undefined || total === '*' ? undefined : Number(total);
  if (said !== null && from === undefined) {
    await readBody(request);
    // A question, unless it names the size that is there already.
    return whole === upload.size ? finish(world, exchange, upload) : tellProgress(exchange, upload);
  }
  if (Number(from ?? 0) !== upload.size) throw new Refusal(503, 'backendError', `the upload stands at ${upload.size}`);
  await append(upload, request);
  const open = said !== null && to !== '*' && whole === undefined;
  if (open && upload.size % quantum !== 0) throw new Refusal(400, 'badRequest', 'a chunk that is not the last must be a multiple of 256 KiB');
  if (!open && whole !== undefined && upload.size > whole) throw new Refusal(400, 'badRequest', 'more bytes than were said');
  return open || (whole !== undefined && upload.size < whole) ? tellProgress(exchange, upload) : finish(world, exchange, upload);
};

const append = async (upload: Upload, request: Exchange['request']): Promise<void> => {
  let held: Buffer = Buffer.alloc(0);
  const write = async (bytes: Buffer): Promise<void> => { await appendFile(upload.file, bytes); upload.size += bytes.length; };
  for await (const bytes of request) {
    held = Buffer.concat([held, bytes as Buffer]); // no encoding is set, so bytes come
    const fit = held.length - (held.length % quantum);
    if (fit > 0) await write(held.subarray(0, fit));
    held = held.subarray(fit);
  }
  await write(held);
};

const finish = async ({ folder }: World, exchange: Exchange, upload: Upload): Promise<void> => {
  checkGeneration(upload.begun, upload.bucket.objects.get(upload.given.name));
  const received = await receive(folder, createReadStream(upload.file));
  rmSync(upload.file, { force: true });
  upload.done = keep(upload.bucket, upload.given, received, exchange.request.headers['x-goog-hash']?.toString());
  answerJson(exchange, describe(upload.done));
};
