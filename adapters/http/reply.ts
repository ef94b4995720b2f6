// Puts a handler's result on the wire. JSON goes out as exactly `application/json`: the public Python client refuses a charset.
import type { Context } from 'koa';
import { Readable } from 'node:stream';
import type { Download } from '#ports/bytes';
import type { EventStream, JsonText, Pieces, ReplyShape } from '#ports/api/operation';
import type { TSchema } from '#ports/api/schema';
import { keptPieces } from '#ports/kept-json';
import type { PageView } from '#ports/pages';
import { sendEvents, sendPieces } from './event-stream.js';
import { render, type Page } from './pages/render.js';

/** Shorter texts go out together with the headers. */
const leastCopied = 16 * 1024;
/** Pieces of a long text as its bytes, each written once: those of plain letters, as most JSON is, are copied, and none is put together before. */
const wireForm = (pieces: readonly string[]): string | Buffer => {
  const sizes = pieces.map((piece) => Buffer.byteLength(piece));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total < leastCopied) return pieces.join('');
  const bytes = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [place, piece] of pieces.entries())
    at += bytes.write(piece, at, piece.length === sizes[place] ? 'latin1' : 'utf8');
  return bytes;
};

export const sendJson = (ctx: Context, status: number, body: unknown): void => {
  ctx.status = status;
  ctx.set('Content-Type', 'application/json');
  ctx.body = wireForm(keptPieces(body));
};

/** Puts a page on the wire; headers that are set already stay. */
export const sendPage = (ctx: Context, { headers, body }: Page): void => {
  for (const [name, value] of Object.entries(headers))
    if (!ctx.res.hasHeader(name)) ctx.set(name, value);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = body;
};

/** Types that a browser may show without running anything in them. */
const shownInline =
  /^(image\/(png|jpeg|gif|webp|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain)$/;

/** A media type as a header can carry it: what a client said of its file may be any text. */
const isMediaType = (type: string): boolean =>
  type.length <= 200 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(;[\x20-\x7e]*)?$/.test(type);

/** Text that can be encoded: half of a surrogate pair cannot. */
const wellFormed = (text: string): string =>
  text.replaceAll(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  );

/** Offers a download under its name. What could run anything in the browser is saved, never shown. */
const offer = (ctx: Context, { ownPage, framed, attached, type, fileName }: Download): void => {
  const shown = ownPage === true || framed === true || shownInline.test(type);
  const kind = shown && attached !== true ? 'inline' : 'attachment';
  if (ownPage === true || fileName === undefined) ctx.set('Content-Disposition', kind);
  else ctx.attachment(wellFormed(fileName).slice(-200), { type: kind });
};

/** One range of bytes as asked for; `undefined` for none or for a form that is not served, `false` for one beyond the end. */
const askedRange = (
  header: string | undefined,
  size: number | undefined,
): { readonly start: number; readonly end: number } | undefined | false => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (size === undefined || (from === '' && to === '')) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start > end || start >= size ? false : { start, end };
};

const ownPagePolicy = ({ inlineStyles = false, embeddable = false }): string =>
  `default-src 'self'; style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors ${embeddable ? '*' : "'none'"}`;

/** For what users have stored. */
const storedPolicy = (framed: boolean): string =>
  framed
    ? "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    : "sandbox; default-src 'none'";

const sendBytes = async (ctx: Context, download: Download): Promise<void> => {
  offer(ctx, download);
  ctx.set('Content-Type', isMediaType(download.type) ? download.type : 'application/octet-stream');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set(
    'Content-Security-Policy',
    download.ownPage === true ? ownPagePolicy(download) : storedPolicy(download.framed === true),
  );
  if (download.byAccept === true) ctx.vary('Accept');
  if (download.packed !== undefined) {
    ctx.set('Content-Encoding', download.packed);
    ctx.vary('Accept-Encoding');
  }
  if (download.ownPage === true) ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (download.size !== undefined) ctx.set('Accept-Ranges', 'bytes');
  const range = askedRange(ctx.get('Range') || undefined, download.size);
  if (range === false) {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${download.size ?? 0}`);
    ctx.body = '';
    return;
  }
  const stream = Readable.from(await download.open(range), { objectMode: false });
  if (range !== undefined && download.size !== undefined) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${download.size}`);
    ctx.body = stream;
    ctx.length = range.end - range.start + 1;
    return;
  }
  ctx.status = 200;
  ctx.body = stream;
  if (download.size !== undefined) ctx.length = download.size;
};

const isDownload = (body: unknown): body is Download =>
  typeof body === 'object' && body !== null && 'open' in body;

/** Whether a reply that may come in pieces does. */
export const isInPieces = (body: unknown): body is Pieces =>
  typeof body === 'object' && body !== null && 'pieces' in body;

export interface Dressing {
  readonly dress: (body: unknown) => unknown;
  /** Rejects once the caller may no longer have what it is being sent. */
  readonly stillAllowed: () => Promise<unknown>;
}

/** Sends what a handler returned for this status, in the form that the row's reply asks for. */
export const sendReply = async (
  ctx: Context,
  status: number,
  shape: ReplyShape,
  body: unknown,
  { dress, stillAllowed }: Dressing,
): Promise<void> => {
  if (shape === null) {
    ctx.status = status;
    ctx.body = status === 204 ? null : '';
    return;
  }
  if ('redirect' in shape) {
    ctx.status = status;
    ctx.redirect(String(body));
    ctx.status = status;
    return;
  }
  if ('page' in shape) {
    ctx.status = status;
    sendPage(ctx, render(body as PageView)); // the row's type makes the handler return this
    return;
  }
  if ('tag' in shape) {
    ctx.status = status;
    ctx.set('ETag', `"${String(body)}"`);
    ctx.body = '';
    return;
  }
  if ('bytes' in shape && isDownload(body)) {
    await sendBytes(ctx, body);
    return;
  }
  if ('events' in shape) {
    sendEvents(ctx, (body as EventStream<Record<string, TSchema>>).stream, { stillAllowed }); // the row's type makes the handler return this
    return;
  }
  if ('piece' in shape && isInPieces(body)) {
    sendPieces(ctx, body.pieces, { stillAllowed });
    return;
  }
  if ('streamed' in shape) {
    ctx.status = status;
    ctx.set('Content-Type', 'application/json');
    ctx.body = Readable.from((body as JsonText).text, {
      objectMode: false,
    }); // the row's type makes the handler return this
    return;
  }
  sendJson(ctx, status, dress(body));
};
