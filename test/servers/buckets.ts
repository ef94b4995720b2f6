// A bucket of its own for a test. Addresses carry what opens them: `http://key:secret@host:port/?region=` of S3, `?credentials=` of GCS.
import { randomBytes } from 'node:crypto';
import { Storage } from '@google-cloud/storage';
import { Client } from 'minio';
import type { GcsOptions } from '#adapters/blob/gcs/client';
import type { S3Options } from '#adapters/blob/s3/client';
import type { TestServer } from './servers.js';

/** An empty bucket and what opens it. */
export interface TestBucket<O> {
  readonly options: O;
  /** The settings by which a server is told to use it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Removes it with all that is in it. */
  remove(): Promise<void>;
}

/** A bucket of an S3 server, and the client library by itself. */
export interface S3Bucket extends TestBucket<S3Options> {
  readonly client: Client;
}

export const makeS3Bucket = async ({ url }: Pick<TestServer, 'url'>): Promise<S3Bucket> => {
  const address = new URL(url);
  const region = address.searchParams.get('region') ?? 'us-east-1';
  const [accessKey, secretKey] = [
    decodeURIComponent(address.username),
    decodeURIComponent(address.password),
  ];
  const bucket = `t${randomBytes(8).toString('hex')}`;
  const secure = address.protocol === 'https:';
  const client = new Client({
    endPoint: address.hostname,
    port: Number(address.port === '' ? (secure ? 443 : 80) : address.port),
    useSSL: secure,
    region,
    accessKey,
    secretKey,
  });
  await client.makeBucket(bucket, region);
  const endpoint = address.origin;
  return {
    client,
    options: { endpoint, region, bucket, accessKey, secretKey, pathStyle: true },
    settings: {
      ORRERY_BLOB: 's3',
      ORRERY_S3_ENDPOINT: endpoint,
      ORRERY_S3_REGION: region,
      ORRERY_S3_BUCKET: bucket,
      ORRERY_S3_ACCESS_KEY: accessKey,
      ORRERY_S3_SECRET_KEY: secretKey,
    },
    async remove() {
      const started = await client.listIncompleteUploadsQuery(bucket, '', '', '', '');
      for (const { key, uploadId } of started.uploads)
        await client.abortMultipartUpload(bucket, key, uploadId);
      for (
        let found = await listSome(client, bucket);
        found.length > 0;
        found = await listSome(client, bucket)
      )
        await client.removeObjects(bucket, [...found]);
      await client.removeBucket(bucket);
    },
  };
};

const listSome = async (client: Client, bucket: string): Promise<readonly string[]> =>
  (await client.listObjectsV2Query(bucket, '', '', '', 1000, '')).objects.flatMap(({ name }) =>
    name === undefined ? [] : [name],
  );

/** A bucket of GCS, and the official client by itself. */
export interface GcsBucket extends TestBucket<GcsOptions> {
  readonly client: Storage;
}

export const makeGcsBucket = async ({ url }: Pick<TestServer, 'url'>): Promise<GcsBucket> => {
  const address = new URL(url);
  const credentials = Buffer.from(
    address.searchParams.get('credentials') ?? '',
    'base64url',
  ).toString();
  const account = JSON.parse(credentials) as {
    readonly client_email: string;
    readonly private_key: string;
    readonly project_id: string;
  }; // as `makeAccount` makes it
  const client = new Storage({
    projectId: account.project_id,
    apiEndpoint: address.origin,
    useAuthWithCustomEndpoint: true,
    credentials: account,
  });
  client.authClient.useJWTAccessWithScope = true;
  const bucket = `t${randomBytes(8).toString('hex')}`;
  await client.createBucket(bucket);
  return {
    client,
    options: { endpoint: address.origin, project: account.project_id, bucket, credentials },
    settings: {
      ORRERY_BLOB: 'gcs',
      ORRERY_GCS_ENDPOINT: address.origin,
      ORRERY_GCS_PROJECT: account.project_id,
      ORRERY_GCS_BUCKET: bucket,
      ORRERY_GCS_CREDENTIALS: credentials,
    },
    async remove() {
      await client.bucket(bucket).deleteFiles({ force: true });
      await client.bucket(bucket).delete();
    },
  };
};
