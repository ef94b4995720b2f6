// Requests made from rows: what they send, and what came back.
import { randomBytes } from 'node:crypto';

export interface SentPart {
  readonly name: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly content: Uint8Array | string;
}

/** A multipart body, written by hand so that nothing is put right on the way. */
export const encodeParts = (
  parts: readonly SentPart[],
): { readonly type: string; readonly body: Buffer } => {
  const boundary = `----${randomBytes(12).toString('hex')}`;
  const pieces = parts.flatMap(({ name, fileName, type, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
};

/** What a row is asked with. `lead` is the JSON of a leading part, `parts` what follows it. */
export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly lead?: Readonly<Record<string, unknown>>;
  readonly parts?: readonly SentPart[];
  /** Whether the body goes out as that of a web form. */
  readonly form?: boolean;
  /** Bytes that are the whole body. */
  readonly raw?: string;
  /** Headers besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  /** The body as a JSON object; fails when it is not one. */
  readonly json: Record<string, unknown>;
}

const queryOf = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};
const bodyOf = ({
  body,
  lead,
  parts,
  form,
  raw,
}: Input): { readonly type?: string; readonly body?: string | Uint8Array<ArrayBuffer> } => {
  if (raw !== undefined) return { type: 'application/octet-stream', body: raw };
  if (parts !== undefined) {
    const { type, body: bytes } = encodeParts([
      ...(lead === undefined ? [] : [{ name: 'requestParams', content: JSON.stringify(lead) }]),
      ...parts,
    ]);
    return { type, body: Uint8Array.from(bytes) };
  }
  if (form === true)
    return {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(
        Object.entries((body ?? {}) as object).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
      ).toString(),
    }; // a sample of an object
  return body === undefined ? {} : { type: 'application/json', body: JSON.stringify(body) };
};

/** Headers with any text, which goes out as the bytes of its UTF-8. */
const asBytes = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  );

/** Sends it. Without a key there is no credential anywhere. */
export const send = async (
  url: string,
  method: string,
  path: string,
  input: Input,
  key?: string,
): Promise<Answer> => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params[name] ?? 'x')),
  );
  const { type, body } = bodyOf(input);
  const reply = await fetch(`${url}${filled}${queryOf(input.query)}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === undefined ? {} : { Authorization: key }),
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...asBytes(input.headers),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    headers: reply.headers,
    text,
    get json() {
      return JSON.parse(text) as Record<string, unknown>;
    },
  }; // every JSON reply of these wires is an object
};
