// Uploads that can be taken up again: what has arrived is there for good, and the client may ask how far it came.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { CRC32C } from '@google-cloud/storage';
import { answer, answerJson, readBody, Refusal, type Exchange } from './exchange.js';
import { describe, nextNumber, receive, type Received, type StoredObject } from './objects.js';
import { checkGeneration, keep, type Bucket, type World } from './world.js';

interface Upload {
  readonly bucket: Bucket;
  readonly given: { readonly name: string; readonly contentType?: string };
  readonly file: string;
  readonly handle: FileHandle;
  readonly md5: ReturnType<typeof createHash>;
  readonly crc: CRC32C;
  /** Whether bytes were taken back that the hashes have seen. */
  cut: boolean;
  /** The address that began it, whose conditions hold to the end. */
  readonly begun: URL;
  size: number;
  /** What is still being written of an earlier request. */
  writing: Promise<void>;
  done: StoredObject | undefined;
}

const uploads = new Map<string, Upload>();

export const startUpload = async (
  { folder }: World,
  exchange: Exchange,
  bucket: Bucket,
): Promise<void> => {
  const { request, url } = exchange;
  const given = JSON.parse((await readBody(request)).toString() || '{}') as {
    readonly name?: string;
    readonly contentType?: string;
  }; // the client's own description of the object
  const name = url.searchParams.get('name') ?? given.name;
  if (name === undefined || name === null) throw new Refusal(400, 'required', 'name is required');
  checkGeneration(url, bucket.objects.get(name));
  const id = randomBytes(16).toString('hex');
  const file = join(folder, `u${nextNumber()}`);
  const contentType = request.headers['x-upload-content-type']?.toString() ?? given.contentType;
  uploads.set(id, {
    bucket,
    given: { name, ...(contentType === undefined ? {} : { contentType }) },
    file,
    handle: await open(file, 'w'),
    md5: createHash('md5'),
    crc: new CRC32C(),
    cut: false,
    begun: url,
    size: 0,
    writing: Promise.resolve(),
    done: undefined,
  });
  answer(exchange, 200, '', {
    location: `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`,
  });
};

const tellProgress = (exchange: Exchange, upload: Upload): void =>
  answer(exchange, 308, '', upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` });

const quantum = 256 * 1024;

/** One request to an upload in progress. What breaks off is kept up to a whole number of 256 KiB, as the service does. */
export const resumeUpload = async (world: World, exchange: Exchange): Promise<void> => {
  const { request, url } = exchange;
  const id = url.searchParams.get('upload_id') ?? '';
  const upload = uploads.get(id);
  if (upload === undefined)
    throw new Refusal(404, 'notFoundUpload', 'the upload is unknown or was cancelled');
  // Of a connection that was let go the last bytes may still be on their way to the file: nothing is told before they are counted.
  await upload.writing;
  if (request.method === 'DELETE') {
    uploads.delete(id);
    await upload.handle.close();
    rmSync(upload.file, { force: true });
    return answer(exchange, 499);
  }
  if (upload.done !== undefined) {
    await readBody(request);
    return answerJson(exchange, describe(upload.done));
  }
  const said = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(
    request.headers['content-range'] ?? '',
  );
  const [, from, to, total] = said ?? [];
  const whole = total === undefined || total === '*' ? undefined : Number(total);
  if (said !== null && from === undefined) {
    await readBody(request);
    // A question, unless it names the size that is there already.
    return whole === upload.size ? finish(world, exchange, upload) : tellProgress(exchange, upload);
  }
  if (Number(from ?? 0) !== upload.size)
    throw new Refusal(503, 'backendError', `the upload stands at ${upload.size}`);
  const appended = append(upload, request);
  upload.writing = appended.catch(() => undefined);
  await appended;
  const open = said !== null && to !== '*' && whole === undefined;
  if (open && upload.size % quantum !== 0)
    throw new Refusal(
      400,
      'badRequest',
      'a chunk that is not the last must be a multiple of 256 KiB',
    );
  if (!open && whole !== undefined && upload.size > whole)
    throw new Refusal(400, 'badRequest', 'more bytes than were said');
  return open || (whole !== undefined && upload.size < whole)
    ? tellProgress(exchange, upload)
    : finish(world, exchange, upload);
};

const append = async (upload: Upload, request: Exchange['request']): Promise<void> => {
  try {
    for await (const bytes of request) {
      await upload.handle.write(bytes as Buffer, 0, (bytes as Buffer).length, upload.size); // no encoding is set, so bytes come
      upload.md5.update(bytes as Buffer);
      upload.crc.update(bytes as Buffer);
      upload.size += (bytes as Buffer).length;
    }
  } catch (thrown) {
    const whole = upload.size - (upload.size % quantum);
    await upload.handle.truncate(whole);
    upload.cut ||= whole < upload.size;
    upload.size = whole;
    throw thrown;
  }
};

const receivedBy = async (
  folder: string,
  { file, handle, size, md5, crc, cut }: Upload,
): Promise<Received> => {
  await handle.close();
  if (!cut) return { file, size, md5: md5.digest('base64'), crc32c: crc.toString() };
  const received = await receive(folder, createReadStream(file));
  rmSync(file, { force: true });
  return received;
};

const finish = async ({ folder }: World, exchange: Exchange, upload: Upload): Promise<void> => {
  checkGeneration(upload.begun, upload.bucket.objects.get(upload.given.name));
  upload.done = keep(
    upload.bucket,
    upload.given,
    await receivedBy(folder, upload),
    exchange.request.headers['x-goog-hash']?.toString(),
  );
  answerJson(exchange, describe(upload.done));
};
