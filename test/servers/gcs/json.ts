// The JSON interface: buckets, listings, objects, and the three ways of sending one.
import { rmSync } from 'node:fs';
import { answer, answerBytes, answerJson, readBody, Refusal, type Exchange } from './exchange.js';
import { describe, receive } from './objects.js';
import { startUpload } from './uploads.js';
import {
  checkGeneration,
  keep,
  requireBucket,
  type Bucket,
  type Given,
  type World,
} from './world.js';

export const jsonInterface = async (world: World, exchange: Exchange): Promise<void> => {
  const { request, url } = exchange;
  const [, upload, bucketName = '', rest] =
    /^(\/upload)?\/storage\/v1\/b(?:\/([^/]+)(?:\/(o(?:\/.*)?))?)?$/.exec(url.pathname) ?? [];
  if (bucketName === '')
    return request.method === 'POST' ? makeBucket(world, exchange) : answer(exchange, 404);
  const bucket = requireBucket(world, bucketName);
  if (rest === undefined) return onBucket(world, exchange, bucket);
  const name = decodeURIComponent(rest.slice(2));
  if (upload !== undefined) return insert(world, exchange, bucket);
  if (name === '') return list(exchange, bucket);
  const object = bucket.objects.get(name);
  if (object === undefined)
    throw new Refusal(404, 'notFound', `No such object: ${bucket.name}/${name}`);
  checkGeneration(url, object);
  if (request.method === 'DELETE') {
    bucket.objects.delete(name);
    rmSync(object.file, { force: true });
    return answer(exchange, 204);
  }
  if (url.searchParams.get('alt') === 'media') return answerBytes(exchange, object);
  answerJson(exchange, describe(object));
};

const makeBucket = async ({ buckets }: World, exchange: Exchange): Promise<void> => {
  const { name } = JSON.parse((await readBody(exchange.request)).toString()) as {
    readonly name: string;
  }; // what the client sends to make one
  if (buckets.has(name)) throw new Refusal(409, 'conflict', 'You already own this bucket.');
  buckets.set(name, { name, objects: new Map() });
  answerJson(exchange, { kind: 'storage#bucket', id: name, name });
};

const onBucket = ({ buckets }: World, exchange: Exchange, bucket: Bucket): void => {
  if (exchange.request.method !== 'DELETE') {
    answerJson(exchange, { kind: 'storage#bucket', id: bucket.name, name: bucket.name });
    return;
  }
  if (bucket.objects.size > 0)
    throw new Refusal(409, 'conflict', 'The bucket you tried to delete is not empty.');
  buckets.delete(bucket.name);
  answer(exchange, 204);
};

const list = (exchange: Exchange, { objects }: Bucket): void => {
  const words = exchange.url.searchParams;
  const [prefix, start, most] = [
    words.get('prefix') ?? '',
    words.get('startOffset') ?? '',
    Number(words.get('maxResults') ?? 1000),
  ];
  const token = Buffer.from(words.get('pageToken') ?? '', 'base64url').toString();
  const names = [...objects.keys()]
    .filter((name) => name.startsWith(prefix) && name >= start && name > token)
    .sort();
  const page = names.slice(0, most);
  const items = page.flatMap((name) => {
    const object = objects.get(name);
    return object === undefined ? [] : [describe(object)];
  });
  answerJson(exchange, {
    kind: 'storage#objects',
    ...(items.length === 0 ? {} : { items }),
    ...(names.length > most
      ? { nextPageToken: Buffer.from(page.at(-1) ?? '').toString('base64url') }
      : {}),
  });
};

const hashesOf = ({ request }: Exchange): string | undefined =>
  request.headers['x-goog-hash']?.toString();

const insert = async (world: World, exchange: Exchange, bucket: Bucket): Promise<void> => {
  const { request, url } = exchange;
  const how = url.searchParams.get('uploadType');
  const name = url.searchParams.get('name');
  if (how === 'resumable') return startUpload(world, exchange, bucket);
  if (how === 'media') {
    if (name === null) throw new Refusal(400, 'required', 'name is required');
    const received = await receive(world.folder, request);
    checkGeneration(url, bucket.objects.get(name));
    return answerJson(
      exchange,
      describe(
        keep(
          bucket,
          {
            name,
            ...(request.headers['content-type'] === undefined
              ? {}
              : { contentType: request.headers['content-type'] }),
          },
          received,
          hashesOf(exchange),
        ),
      ),
    );
  }
  if (how !== 'multipart')
    throw new Refusal(400, 'invalid', 'uploadType must be media, multipart or resumable');
  const { given, bytes } = readRelated(
    request.headers['content-type'] ?? '',
    await readBody(request),
  );
  const named = { ...given, name: name ?? given.name };
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  checkGeneration(url, bucket.objects.get(named.name));
  const received = await receive(world.folder, content());
  answerJson(exchange, describe(keep(bucket, named, received, hashesOf(exchange))));
};

/** The two parts of a multipart/related body: what is said of the object, and its bytes. */
const readRelated = (
  type: string,
  body: Buffer,
): { readonly given: Given; readonly bytes: Buffer } => {
  const mark = /boundary="?([^";]+)"?/.exec(type)?.[1] ?? '';
  const pieces: Buffer[] = [];
  for (let at = body.indexOf(`--${mark}`); ;) {
    const next = body.indexOf(`--${mark}`, at + mark.length + 2);
    if (next < 0) break;
    pieces.push(body.subarray(body.indexOf('\r\n\r\n', at) + 4, next - 2));
    at = next;
  }
  const [given, bytes] = pieces;
  if (given === undefined || bytes === undefined)
    throw new Refusal(400, 'badContent', 'two parts are expected');
  return { given: JSON.parse(given.toString()) as Given, bytes }; // the client's own description of the object
};
