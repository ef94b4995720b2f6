// The XML interface, which signed links lead to: objects by GET, HEAD and PUT, and uploads in parts.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { answer, answerBytes, readBody, Refusal, type Exchange } from './exchange.js';
import { joinFiles, nextNumber, receive, type Received } from './objects.js';
import { keep, requireBucket, type Bucket, type World } from './world.js';

interface Upload {
  readonly bucket: Bucket;
  readonly name: string;
  readonly startedAt: string;
  readonly parts: Map<number, Received>;
}

const uploads = new Map<string, Upload>();
const leastBytes = 5 * 1024 * 1024;
const xml = { 'content-type': 'application/xml; charset=UTF-8' };
const tagOf = ({ md5 }: Received): string => Buffer.from(md5, 'base64').toString('hex');

export const xmlInterface = async (world: World, exchange: Exchange): Promise<void> => {
  const { request, url } = exchange;
  const [, bucketName = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  const name = rest.join('/');
  const bucket = requireBucket(world, bucketName);
  const words = url.searchParams;
  if (words.has('uploads'))
    return request.method === 'POST'
      ? start(exchange, bucket, name)
      : listStarted(exchange, bucket);
  if (words.has('uploadId')) return onUpload(world, exchange, bucket, name);
  if (request.method === 'PUT') {
    const object = keep(
      bucket,
      {
        name,
        ...(request.headers['content-type'] === undefined
          ? {}
          : { contentType: request.headers['content-type'] }),
      },
      await receive(world.folder, request),
      request.headers['x-goog-hash']?.toString(),
    );
    return answer(exchange, 200, '', { etag: `"${object.etag}"` });
  }
  const object = bucket.objects.get(name);
  if (object === undefined)
    throw new Refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const [disposition, type] = [
    words.get('response-content-disposition'),
    words.get('response-content-type'),
  ];
  answerBytes(exchange, object, {
    ...(disposition === null ? {} : { 'content-disposition': disposition }),
    ...(type === null ? {} : { 'content-type': type }),
  });
};

const start = async (exchange: Exchange, bucket: Bucket, name: string): Promise<void> => {
  await readBody(exchange.request);
  const id = `${String(nextNumber()).padStart(8, '0')}${randomBytes(12).toString('base64url')}`;
  uploads.set(id, { bucket, name, startedAt: new Date().toISOString(), parts: new Map() });
  answer(
    exchange,
    200,
    `<?xml version='1.0' encoding='UTF-8'?><InitiateMultipartUploadResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Bucket>${bucket.name}</Bucket><Key>${name}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    xml,
  );
};

const listStarted = (exchange: Exchange, bucket: Bucket): void => {
  const rows = [...uploads]
    .filter(([, upload]) => upload.bucket === bucket)
    .map(
      ([id, { name, startedAt }]) =>
        `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><StorageClass>STANDARD</StorageClass><Initiated>${startedAt}</Initiated></Upload>`,
    );
  answer(
    exchange,
    200,
    `<?xml version='1.0' encoding='UTF-8'?><ListMultipartUploadsResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Bucket>${bucket.name}</Bucket><IsTruncated>false</IsTruncated>${rows.join('')}</ListMultipartUploadsResult>`,
    xml,
  );
};

const onUpload = async (
  world: World,
  exchange: Exchange,
  bucket: Bucket,
  name: string,
): Promise<void> => {
  const { request, url } = exchange;
  const id = url.searchParams.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (upload === undefined || upload.bucket !== bucket || upload.name !== name) {
    await readBody(request);
    throw new Refusal(404, 'NoSuchUpload', 'The requested upload was not found.');
  }
  if (request.method === 'DELETE') {
    drop(id, upload);
    return answer(exchange, 204);
  }
  if (request.method === 'POST') return join(world, exchange, id, upload);
  const number = Number(url.searchParams.get('partNumber'));
  if (!(Number.isInteger(number) && number >= 1 && number <= 10_000))
    throw new Refusal(400, 'InvalidArgument', 'partNumber must be from 1 to 10000');
  const received = await receive(world.folder, request);
  const before = upload.parts.get(number);
  if (before !== undefined) rmSync(before.file, { force: true });
  upload.parts.set(number, received);
  answer(exchange, 200, '', { etag: `"${tagOf(received)}"`, 'x-goog-hash': `md5=${received.md5}` });
};

const drop = (id: string, { parts }: Upload): void => {
  uploads.delete(id);
  for (const { file } of parts.values()) rmSync(file, { force: true });
};

const join = async (
  { folder }: World,
  exchange: Exchange,
  id: string,
  upload: Upload,
): Promise<void> => {
  const text = (await readBody(exchange.request)).toString();
  const listed = [
    ...text.matchAll(
      /<Part>\s*<PartNumber>(\d+)<\/PartNumber>\s*<ETag>(?:"|&quot;)?(\w+)(?:"|&quot;)?<\/ETag>\s*<\/Part>/g,
    ),
  ].map(([, number, tag]) => ({ number: Number(number), tag }));
  if (listed.length === 0) throw new Refusal(400, 'MalformedXML', 'no part is listed');
  if (listed.some(({ number }, at) => number <= (listed[at - 1]?.number ?? 0)))
    throw new Refusal(400, 'InvalidPartOrder', 'parts must be listed in order');
  const parts = listed.map(({ number, tag }) => {
    const part = upload.parts.get(number);
    if (part === undefined || tagOf(part) !== tag)
      throw new Refusal(400, 'InvalidPart', `part ${number} is another or was not sent`);
    return part;
  });
  if (parts.slice(0, -1).some(({ size }) => size < leastBytes))
    throw new Refusal(400, 'EntityTooSmall', 'a part that is not the last is smaller than 5 MiB');
  const received = await joinFiles(
    folder,
    parts.map(({ file }) => file),
  );
  // What is joined of parts has no MD5 on the real service.
  const object = {
    ...keep(upload.bucket, { name: upload.name }, received, undefined),
    md5: undefined,
  };
  upload.bucket.objects.set(upload.name, object);
  drop(id, upload);
  answer(
    exchange,
    200,
    `<?xml version='1.0' encoding='UTF-8'?><CompleteMultipartUploadResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Bucket>${upload.bucket.name}</Bucket><Key>${upload.name}</Key><ETag>"${object.etag}-${parts.length}"</ETag></CompleteMultipartUploadResult>`,
    xml,
  );
};
