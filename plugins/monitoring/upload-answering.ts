// Uploads of CSV files: the form that comes, and the lines that go back while its file is stored.
import type { ByteStream, Download, Upload } from '#ports/bytes';
import { Failure, isFailure } from '#ports/failure';
import { monitoringFamily } from './family.js';
import { defaultMissing, type Fields, type Progress, type UploadOf } from './uploading.js';

const [longestField, longestName] = [4096, 256] as const;

const fieldsFrom = (given: ReadonlyMap<string, string>, of: UploadOf['of']): Fields => {
  const required = (name: string): string => {
    const value = given.get(name);
    if (value === undefined || value === '')
      throw new Failure('invalid', `the part ${name} is missing; it stands before the file`);
    return value;
  };
  for (const name of ['modelName', 'modelVersion', 'datasetName'])
    if ((given.get(name) ?? '').length > longestName)
      throw new Failure('invalid', `the part ${name} has more than ${longestName} characters`);
  const datasetName = given.get('datasetName');
  const own = (given.get('NAValues') ?? '').split(',').map((one) => one.trim());
  const keeps = (given.get('keepDefaultNAValues') ?? 'true').toLowerCase() !== 'false';
  return {
    workspaceName: required('workspaceName'),
    modelName: of === 'training' ? required('modelName') : (datasetName ?? required('modelName')),
    modelVersion: of === 'labels' ? (given.get('modelVersion') ?? '') : required('modelVersion'),
    datasetName: of === 'training' ? required('datasetName') : undefined,
    missing: new Set(keeps ? [...defaultMissing, ...own] : own),
  };
};

/** What a client is told of a file that breaks off when its reply has begun: the body of the refusal that it would have got otherwise. */
const brokenOff = (thrown: unknown): string =>
  `${JSON.stringify(
    isFailure(thrown)
      ? monitoringFamily.dress.failure(thrown, undefined).body
      : { code: 500, msg: 'the server failed while it stored the file', sdk_error_code: 0 },
  )}\n`;

/** Lines that are handed over as they are made. */
class Lines {
  readonly #waiting: string[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;
  #woken = this.#nextWake();

  #nextWake(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }

  add(line: string): void {
    this.#waiting.push(line);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Resolves once there is a line, or none will come. */
  begun(): Promise<void> {
    return this.#woken;
  }

  async *read(): AsyncIterable<Uint8Array> {
    const encoder = new TextEncoder();
    for (;;) {
      await this.#woken;
      for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift())
        yield encoder.encode(line);
      if (this.#isOver) return;
      this.#woken = this.#nextWake();
    }
  }
}

/** Bytes that are gone through to their end, also where whoever reads them stops: a client that still sends would not see why it is refused. */
class Outlasting implements ByteStream {
  readonly #bytes: AsyncIterator<Uint8Array>;

  constructor(content: ByteStream) {
    this.#bytes = content[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#bytes.next() };
  }

  /** Reads what is left. Where it breaks off there is nobody who would be told. */
  async drain(): Promise<void> {
    try {
      for await (const _ of this);
    } catch {
      // The upload tells it, too.
    }
  }
}

/** Takes the file of an upload in, whose fields stand before it. Rejects once all of the upload was read. */
const takeUpload = async (
  upload: Upload,
  of: UploadOf,
  take: (content: ByteStream, fields: Fields) => Promise<string>,
): Promise<string> => {
  const given = new Map<string, string>();
  let taken: Promise<string> | undefined;
  for await (const part of upload) {
    if (part.name !== 'file') {
      given.set(part.name, await part.text(longestField));
      continue;
    }
    const content = new Outlasting(part.content);
    taken = taken?.then(refuseSecond) ?? takePart(content, given, of, take);
    await taken.catch(() => undefined); // told below
    await content.drain();
  }
  if (taken === undefined) throw new Failure('invalid', 'the part file is missing');
  return taken;
};

const refuseSecond = async (): Promise<string> => {
  throw new Failure('invalid', 'there is a second part file; the first one is stored');
};

const takePart = async (
  content: ByteStream,
  given: ReadonlyMap<string, string>,
  of: UploadOf,
  take: (content: ByteStream, fields: Fields) => Promise<string>,
): Promise<string> => take(content, fieldsFrom(given, of.of));

/**
 * Takes an upload in. Answers a line for every 50,000 rows as they are stored, and one of JSON with the sums. The reply begins with its first line: what is
 * wrong before that refuses the request, and what is wrong behind it is told in the last line, after which the reply breaks off.
 */
export const uploadCsv = async (
  upload: Upload,
  of: UploadOf,
  take: (content: ByteStream, fields: Fields, of: UploadOf, tell: Progress) => Promise<string>,
): Promise<Download> => {
  const lines = new Lines();
  let hasBegun = false;
  let failure: unknown;
  const tell = (rows: number): void => {
    hasBegun = true;
    lines.add(`${rows} rows\n`);
  };
  void takeUpload(upload, of, (content, fields) => take(content, fields, of, tell))
    .then(
      (last) => {
        lines.add(last);
      },
      (thrown: unknown) => {
        failure = thrown;
        if (hasBegun) lines.add(brokenOff(thrown));
      },
    )
    .finally(() => {
      lines.end();
    });
  await lines.begun();
  if (failure !== undefined && !hasBegun) throw failure;
  return {
    type: 'text/plain; charset=utf-8',
    async *open() {
      yield* lines.read();
      if (failure === undefined) return;
      await new Promise((next) => setImmediate(next)); // the last line goes out first
      throw failure;
    },
  };
};
